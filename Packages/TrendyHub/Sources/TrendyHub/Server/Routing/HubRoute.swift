import TrendyModels

/// One operation of the API: its path, parameters, documents and handler.
///
/// Routing, authorization, entity tags, metrics and `/openapi.json` are derived from these values.
package struct HubRoute: Sendable {
  package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// Credentials that a request requires.
  package enum Access: Sendable {
    /// No credentials.
    case open
    /// No credentials for a process on this machine, or a device's token for any other client.
    case local
    /// A device's token, as a bearer token or in a browser's cookie.
    case device
    /// A device's token, also accepted as a password or in the query, because not all trackers can set headers.
    case tracker
  }

  /// Closure that processes a request.
  ///
  /// The case determines the required access, so an open route cannot have a handler that needs a device.
  enum Handler: Sendable {
    case open(@Sendable (HubCall) async throws -> HTTPResponse)
    case local(@Sendable (HubCall) async throws -> HTTPResponse)
    case device(@Sendable (HubCall, HubDevice) async throws -> HTTPResponse)
    /// Parses the request and returns a transaction on the record of the device's user.
    case record(@Sendable (HubCall, HubDevice) throws -> HubWork)
  }

  package enum Segment: Hashable, Sendable {
    case word(String)
    /// A parameter such as `{id}`.
    case parameter(String)
  }

  /// Query parameter or header of a request.
  struct Parameter: Hashable, Sendable {
    let name: String
    let schema: HubSchema
    let meaning: String

    init(_ name: String, _ schema: HubSchema, _ meaning: String) {
      self.name = name
      self.schema = schema
      self.meaning = meaning
    }
  }

  /// A successful response.
  struct Answer: Hashable, Sendable {
    enum Body: Hashable, Sendable {
      case json(HubSchema)
      /// Lines of JSON: a header line followed by entries.
      case lines
      case events
      /// A file of one of these media types.
      case file([String])
      case nothing
    }
    let status: Int
    let meaning: String
    let body: Body
  }

  /// Source of the response's `ETag`.
  enum Tag: Sendable {
    /// A tag set by the handler, or none.
    case none
    case content
    /// The record's version, for a response that depends on nothing else. The tag is compared before the handler runs.
    case record
  }

  package let method: Method
  package let path: [Segment]
  /// Operation id in `/openapi.json`.
  package let name: String
  let summary: String
  let query: [Parameter]
  let body: HubSchema?
  /// Whether the request body is a file instead of a document.
  let takesBytes: Bool
  /// Successful responses. All other responses are problem documents.
  let answers: [Answer]
  let headers: [Parameter]
  /// Whether requests count towards the rate limit.
  let isMetered: Bool
  let isDocumented: Bool
  fileprivate(set) var tag: Tag
  fileprivate(set) var group: HubMetrics.Route
  let handler: Handler

  /// `path` is relative to `/api/v1`, such as `events/{id}`, or absolute, such as `/metrics`.
  init(
    _ method: Method, _ path: String, name: String, summary: String, query: [Parameter] = [],
    body: HubSchema? = nil, takesBytes: Bool = false, answers: [Answer], headers: [Parameter] = [],
    isMetered: Bool = true, isDocumented: Bool = true, tag: Tag = .none, group: HubMetrics.Route = .other,
    _ handler: Handler
  ) {
    self.method = method
    let segments = path.split(separator: "/").map {
      $0.hasPrefix("{") ? Segment.parameter(String($0.dropFirst().dropLast())) : .word(String($0))
    }
    self.path = path.hasPrefix("/") ? segments : Self.prefix.map { .word($0) } + segments
    self.name = name
    self.summary = summary
    self.query = query
    self.body = body
    self.takesBytes = takesBytes
    self.answers = answers
    self.headers = headers
    self.isMetered = isMetered
    self.isDocumented = isDocumented
    self.tag = tag
    self.group = group
    self.handler = handler
  }

  static let prefix = ["api", "v1"]

  package var access: Access {
    switch handler {
    case .open: .open
    case .local: .local
    case .device, .record: .device
    }
  }

  /// Path with its parameters in braces, such as `/api/v1/events/{id}`.
  package var address: String {
    path.reduce("") { address, segment in
      switch segment {
      case .word(let word): "\(address)/\(word)"
      case .parameter(let name): "\(address)/{\(name)}"
      }
    }
  }

  var parameters: [String] {
    path.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  /// Returns the values of the path parameters, or `nil` if the path does not match.
  func match(_ segments: [String]) -> [String: String]? {
    guard segments.count == path.count else { return nil }
    var values: [String: String] = [:]
    for (segment, text) in zip(path, segments) {
      switch segment {
      case .word(let word): guard word == text else { return nil }
      case .parameter(let name): values[name] = text
      }
    }
    return values
  }
}

extension HubRoute.Answer {
  static func json(_ status: Int, _ meaning: String, _ schema: HubSchema) -> HubRoute.Answer {
    HubRoute.Answer(status: status, meaning: meaning, body: .json(schema))
  }

  static func nothing(_ meaning: String) -> HubRoute.Answer {
    HubRoute.Answer(status: 204, meaning: meaning, body: .nothing)
  }
}

extension [HubRoute] {
  /// Sets the metrics group of the routes that have none.
  func counted(as group: HubMetrics.Route) -> [HubRoute] {
    map { route in
      var route = route
      if route.group == .other { route.group = group }
      return route
    }
  }

  func tagged(by tag: HubRoute.Tag) -> [HubRoute] {
    map { route in
      var route = route
      route.tag = tag
      return route
    }
  }
}
