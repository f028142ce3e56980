import Synchronization
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Connection to one hub. Adds the token to requests, enforces the deadline and reads responses.
struct HubConnection: Sendable {
  let address: HubAddress
  /// Returns the token for each request, or `nil` for requests without a token.
  let token: (@Sendable () async throws -> String?)?
  let clock: any TimeSource
  /// Maximum time from the start of a request to the last byte of the response, or between two chunks of a stream.
  let deadline: Duration
  /// Maximum size of a response body in bytes.
  let bodyLimit: Int
  var transport: URLSessionTransport
  /// Returns the device status to send with authenticated requests, if any.
  var report: (@Sendable () -> DeviceReport?)?

  func document<Value: Decodable & Sendable>(_ type: Value.Type, _ request: HTTPRequest) async throws -> Value {
    try await withDeadline { _ in
      try await answer(to: request).document(type, to: description(request), now: clock.now)
    }
  }

  /// Like ``document(_:_:)``, but `onFailure` can return a value for an error response, whose body may contain more
  /// than an error message.
  func document<Value: Decodable & Sendable>(
    _ type: Value.Type, _ request: HTTPRequest, onFailure: @escaping @Sendable (ClientResponse) -> Value?
  ) async throws -> Value {
    try await withDeadline { _ in
      let answer = try await answer(to: request)
      if !(200..<300).contains(answer.head.status), let value = onFailure(answer) { return value }
      return try answer.document(type, to: description(request), now: clock.now)
    }
  }

  /// Sends a request and returns the response header without waiting for the body.
  func head(_ request: HTTPRequest) async throws -> HTTPHead {
    try await withDeadline { _ in
      for try await case .head(let head) in transport.open(try await prepared(request), at: address, bodyLimit: nil) {
        return head
      }
      try Task.checkCancellation()
      throw APIError.cutOff(address)
    }
  }

  /// Sends a DELETE request. A missing resource counts as deleted.
  func delete(_ path: String) async throws {
    let request = HTTPRequest(method: .delete, path: path)
    try await withDeadline { _ in
      let answer = try await answer(to: request)
      if !answer.isNotFound { try answer.requireSuccess(to: description(request), now: clock.now) }
    }
  }

  /// Reads a response in chunks. The deadline applies to the time between two chunks.
  /// - Parameters:
  ///   - mediaTypes: accepted content types of a success.
  ///   - patience: maximum time without data, or `nil` for the deadline.
  ///   - onFailure: called for an error response. If it returns a value, that value becomes the result.
  func stream<Value: Sendable>(
    _ request: HTTPRequest, mediaTypes: [String], named name: String, patience: Duration? = nil,
    onFailure: @escaping @Sendable (HTTPHead) -> Value? = { _ in nil },
    _ body: @escaping @Sendable (BodyChunks) async throws -> Value
  ) async throws -> Value {
    try await withDeadline(patience) { progress in
      let parts = transport.open(try await prepared(request), at: address, bodyLimit: nil)
      var iterator = parts.makeAsyncIterator()
      guard case .head(let head) = try await iterator.next() else {
        try Task.checkCancellation()
        throw APIError.cutOff(address)
      }
      progress.note(clock.uptime)
      guard (200..<300).contains(head.status) else {
        if let value = onFailure(head) { return value }
        var document = Data()
        while case .data(let data)? = try await iterator.next(), document.count < bodyLimit { document += data }
        try Task.checkCancellation()
        throw head.error(body: document, to: description(request), now: clock.now)
      }
      try head.check(isMediaType: mediaTypes, named: name, to: description(request))
      return try await body(BodyChunks(parts: parts, progress: progress, clock: clock))
    }
  }

  /// Makes a small request so that the next request reuses its connection.
  ///
  /// On Linux, `URLSession` keeps a core busy while it waits for data on a new connection, because it keeps polling for
  /// writability (Swift 6.3.1). On a reused connection, `URLSession` does not poll. For a stream that stays open for
  /// hours, the extra request is worthwhile.
  func useConnection() async throws {
    #if canImport(FoundationNetworking)
      try await withDeadline { _ in _ = try await answer(to: HTTPRequest(method: .get, path: "/health")) }
    #endif
  }

  func description(_ request: HTTPRequest) -> RequestDescription {
    RequestDescription(method: request.method, path: request.path, hub: address.name)
  }
}

/// Body of a streamed response, in chunks. One task can read it once.
struct BodyChunks: Sendable {
  fileprivate let parts: AsyncThrowingStream<ResponsePart, any Error>
  fileprivate let progress: Progress
  fileprivate let clock: any TimeSource

  /// Calls `body` with each chunk until the end of the response.
  /// - Throws: `CancellationError`, and errors thrown by `body`, which also end the response.
  func forEach(_ body: (Data) throws -> Void) async throws {
    for try await part in parts {
      progress.note(clock.uptime)
      if case .data(let data) = part { try body(data) }
    }
    // Throw here, because a cancelled stream ends without an error.
    try Task.checkCancellation()
  }
}

/// Uptime when a request last made progress.
final class Progress: Sendable {
  private let latest: Mutex<Duration>

  init(_ uptime: Duration) { latest = Mutex(uptime) }

  var uptime: Duration { latest.withLock { $0 } }

  func note(_ uptime: Duration) { latest.withLock { $0 = uptime } }
}

extension HubConnection {
  private func answer(to request: HTTPRequest) async throws -> ClientResponse {
    var head: HTTPHead?
    var body = Data()
    for try await part in transport.open(try await prepared(request), at: address, bodyLimit: bodyLimit) {
      switch part {
      case .head(let received): head = received
      case .data(let data): body += data
      }
    }
    // Throw here, because a cancelled stream ends without an error.
    try Task.checkCancellation()
    guard let head else { throw APIError.cutOff(address) }
    return ClientResponse(head: head, body: body)
  }

  private func prepared(_ request: HTTPRequest) async throws -> HTTPRequest {
    var request = request
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    if request.body != nil { request.headers["Content-Type"] = "application/json" }
    request.headers["User-Agent"] = "trendy"
    guard let token else { return request }
    let text = try await token()?.filter { !$0.isWhitespace } ?? ""
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw APIError.problem(
        ProblemDetails(
          type: "urn:trendy:error:unauthorized", title: "This device has no token for \(address.name)", status: 401,
          detail: "pair it with the hub first"), retryAfter: nil)
    }
    request.headers["Authorization"] = "Bearer \(text)"
    if let report = report?() { request.headers["Trendy-Device"] = report.header(at: clock.now) }
    return request
  }

  /// Runs `work`, and throws if it neither ends nor makes progress within the deadline.
  private func withDeadline<Value: Sendable>(
    _ patience: Duration? = nil, _ work: @escaping @Sendable (Progress) async throws -> Value
  ) async throws -> Value {
    let deadline = patience ?? deadline
    let progress = Progress(clock.uptime)
    return try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await work(progress) }
      group.addTask {
        while true {
          let remaining = deadline - (clock.uptime - progress.uptime)
          guard remaining > .zero else {
            throw APIError.timedOut("\(address.name) did not respond within \(deadline.words)")
          }
          try await clock.sleep(for: remaining)
        }
      }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }
}

extension Duration {
  /// Formatted as `15 s` or `250 ms`.
  fileprivate var words: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
