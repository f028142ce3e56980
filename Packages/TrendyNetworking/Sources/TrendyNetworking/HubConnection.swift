import Synchronization
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Asks one hub: puts the token on a request, keeps its deadline, reads its answer.
struct HubConnection: Sendable {
  let address: HubAddress
  /// Gives the token at each request; `nil` for requests that carry none.
  let token: (@Sendable () async throws -> String?)?
  let clock: any TimeSource
  /// From the sending of a request to the last byte of its answer; in a stream, from one piece to the next.
  let deadline: Duration
  /// Bytes.
  let bodyLimit: Int
  var transport: URLSessionTransport
  /// What the device says of itself with a request that carries a token; `nil` for nothing.
  var report: (@Sendable () -> DeviceReport?)?

  /// The document that answers the request.
  func document<Value: Decodable & Sendable>(_ type: Value.Type, _ request: HTTPRequest) async throws -> Value {
    try await withDeadline { _ in
      try await answer(to: request).document(type, to: description(request), now: clock.now)
    }
  }

  /// As ``document(_:_:)``, but what a failure says is asked for first: an answer that refuses can hold more than its words.
  func document<Value: Decodable & Sendable>(
    _ type: Value.Type, _ request: HTTPRequest, onFailure: @escaping @Sendable (ClientResponse) -> Value?
  ) async throws -> Value {
    try await withDeadline { _ in
      let answer = try await answer(to: request)
      if !(200..<300).contains(answer.head.status), let value = onFailure(answer) { return value }
      return try answer.document(type, to: description(request), now: clock.now)
    }
  }

  /// The head of the answer alone: the rest is not waited for.
  func head(_ request: HTTPRequest) async throws -> HTTPHead {
    try await withDeadline { _ in
      for try await case .head(let head) in transport.open(try await prepared(request), at: address, bodyLimit: nil) {
        return head
      }
      try Task.checkCancellation()
      throw APIError.cutOff(address)
    }
  }

  /// Asks for something to be gone. What is not there is gone.
  func delete(_ path: String) async throws {
    let request = HTTPRequest(method: .delete, path: path)
    try await withDeadline { _ in
      let answer = try await answer(to: request)
      if !answer.isNotFound { try answer.requireSuccess(to: description(request), now: clock.now) }
    }
  }

  /// Reads an answer piece by piece, for as long as pieces come: the deadline counts from one to the next.
  /// - Parameters:
  ///   - mediaType: what the body of a success must be.
  ///   - patience: how long one piece may be waited for; `nil` for the deadline.
  ///   - onFailure: asked first about an answer that is no success; what it returns is the result.
  func stream<Value: Sendable>(
    _ request: HTTPRequest, mediaTypes: [String], named name: String, patience: Duration? = nil,
    onFailure: @escaping @Sendable (HTTPHead) -> Value? = { _ in nil },
    _ body: @escaping @Sendable (BodyChunks) async throws -> Value
  ) async throws -> Value {
    try await withDeadline(patience) { progress in
      let pieces = transport.open(try await prepared(request), at: address, bodyLimit: nil)
      var iterator = pieces.makeAsyncIterator()
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
      return try await body(BodyChunks(pieces: pieces, progress: progress, clock: clock))
    }
  }

  /// Asks something small, so that the next request finds a connection that is open.
  ///
  /// On Linux `URLSession` keeps a core busy while it waits on a connection that it has just made: it goes on asking whether
  /// it may write (Swift 6.3.1). On one that is used again it does not. For what waits for hours that is worth a question.
  func useConnection() async throws {
    #if canImport(FoundationNetworking)
      // Whatever it says: only what is asked for next counts.
      try await withDeadline { _ in _ = try await answer(to: HTTPRequest(method: .get, path: "/health")) }
    #endif
  }

  func description(_ request: HTTPRequest) -> RequestDescription {
    RequestDescription(method: request.method, path: request.path, hub: address.name)
  }
}

/// The body of a streamed answer, piece by piece. Read by one task, once.
struct BodyChunks: Sendable {
  fileprivate let pieces: AsyncThrowingStream<ResponsePart, any Error>
  fileprivate let progress: Progress
  fileprivate let clock: any TimeSource

  /// Hands each piece over as it comes, until the end of the answer.
  /// - Throws: what `body` throws, which also ends the answer, and `CancellationError`.
  func forEach(_ body: (Data) throws -> Void) async throws {
    for try await piece in pieces {
      progress.note(clock.uptime)
      if case .data(let data) = piece { try body(data) }
    }
    // A stream also ends, without a word, when its reader is cancelled.
    try Task.checkCancellation()
  }
}

/// When something last came of a request.
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
    for try await piece in transport.open(try await prepared(request), at: address, bodyLimit: bodyLimit) {
      switch piece {
      case .head(let received): head = received
      case .data(let data): body += data
      }
    }
    // A stream also ends, without a word, when its reader is cancelled.
    try Task.checkCancellation()
    guard let head else { throw APIError.cutOff(address) }
    return ClientResponse(head: head, body: body)
  }

  /// The request with everything that goes with each: what is wanted, what is sent, who asks.
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
          detail: "pair it first"), retryAfter: nil)
    }
    request.headers["Authorization"] = "Bearer \(text)"
    if let report = report?() { request.headers["Trendy-Device"] = report.header(at: clock.now) }
    return request
  }

  /// Runs `work`, and gives up when the deadline passes before it ends or notes progress.
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
            throw APIError.networkError("\(address.name) did not answer within \(deadline.words)")
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
  /// `15 s`, `250 ms`.
  fileprivate var words: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
