import TrendyModels

/// One operation of the API: how it is asked for, what it takes and gives, and who answers.
struct HubRoute: Sendable {
  enum Answering: Sendable {
    /// Asked before there is a token.
    case anybody(@Sendable (HubServer, HubCall) async throws -> HTTPResponse)
    case device(@Sendable (HubServer, HubCall, HubDevice) async throws -> HTTPResponse)
  }

  enum Segment: Hashable, Sendable {
    case word(String)
    /// `{id}`.
    case parameter(String)
  }

  /// A parameter of the address behind the question mark.
  struct Query: Hashable, Sendable {
    let name: String
    let schema: HubSchema
    let meaning: String
  }

  /// What an answer is.
  struct Answer: Hashable, Sendable {
    enum Body: Hashable, Sendable {
      case json(HubSchema)
      /// Lines of JSON, a header and entries.
      case lines
      /// Server-sent events.
      case events
      /// Comma-separated values (RFC 4180).
      case table
      /// A file of one of these media types.
      case file([String])
      case nothing
    }
    let status: Int
    let meaning: String
    let body: Body
  }

  let method: HubCall.Method
  let path: [Segment]
  /// In a word, for programs that are made from the document.
  let name: String
  /// A sentence.
  let summary: String
  let query: [Query]
  /// The document that it takes; `nil` for none.
  let body: HubSchema?
  /// Whether it takes bytes as they are, and no document.
  let takesBytes: Bool
  /// Of what comes about; every refusal is a problem.
  let answers: [Answer]
  /// Optional headers of the request.
  let headers: [Query]
  let answering: Answering

  /// - Parameter path: behind `/api/v1`: `events/{id}`.
  init(
    _ method: HubCall.Method, _ path: String, name: String, summary: String, query: [Query] = [],
    body: HubSchema? = nil, takesBytes: Bool = false, answers: [Answer], headers: [Query] = [],
    _ answering: Answering
  ) {
    self.method = method
    self.path = path.split(separator: "/").map {
      $0.hasPrefix("{") ? .parameter(String($0.dropFirst().dropLast())) : .word(String($0))
    }
    self.name = name
    self.summary = summary
    self.query = query
    self.body = body
    self.takesBytes = takesBytes
    self.answers = answers
    self.headers = headers
    self.answering = answering
  }

  /// As it stands in the document: `/events/{id}`.
  var address: String {
    path.reduce("") { address, segment in
      switch segment {
      case .word(let word): "\(address)/\(word)"
      case .parameter(let name): "\(address)/{\(name)}"
      }
    }
  }

  func fits(_ path: [String]) -> Bool {
    path.count == self.path.count
      && zip(self.path, path).allSatisfy { segment, word in
        if case .word(let own) = segment { own == word } else { true }
      }
  }
}

/// The operations of the API.
struct HubRoutes: Sendable {
  let all: [HubRoute]
  /// By the number of segments: what is asked for is held against few.
  private let byLength: [Int: [HubRoute]]

  init(_ routes: [HubRoute]) {
    all = routes
    // A word is meant before anything that may stand in its place: `events/batch` is no event.
    byLength = Dictionary(grouping: routes) { $0.path.count }.mapValues { routes in
      routes.filter { $0.parameters.isEmpty } + routes.filter { !$0.parameters.isEmpty }
    }
  }

  /// Whether an operation is asked for before there is a token; of a method that its address does not take, whether another is.
  func isWithoutToken(_ call: HubCall) -> Bool {
    let fitting = (byLength[call.path.count] ?? []).filter { $0.fits(call.path) }
    let asked = call.request.method == "HEAD" ? "GET" : call.request.method
    if let route = fitting.first(where: { $0.method.rawValue == asked }) { return route.isWithoutToken }
    return fitting.contains(where: \.isWithoutToken)
  }

  /// The operation that is asked for; `HEAD` is `GET`.
  /// - Throws: a ``Problem`` with status 404 for an address that there is not, 405 for a method that it does not take.
  func route(of call: HubCall) throws(Problem) -> HubRoute {
    let fitting = (byLength[call.path.count] ?? []).filter { $0.fits(call.path) }
    guard let first = fitting.first else { throw .unknownPath(call.request) }
    let asked = call.request.method == "HEAD" ? "GET" : call.request.method
    let same = fitting.filter { $0.path == first.path }
    if let route = same.first(where: { $0.method.rawValue == asked }) { return route }
    let names = HubCall.Method.allCases.filter { method in same.contains { $0.method == method } }
      .flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
    throw Problem(
      "method_not_allowed", status: 405, title: "Method not allowed",
      detail: "\(call.request.path) takes \(names), found \(call.request.method)", allow: names)
  }
}

extension HubRoute {
  /// The names of those in the path.
  var parameters: [String] {
    path.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  var isWithoutToken: Bool { if case .anybody = answering { true } else { false } }
}
