import CPostgres
package import TrendyHub

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to the server. Statements are sent in a pipeline, several per round trip.
///
/// @unchecked: the pool lends a connection to one thread at a time.
package final class PostgresConnection: @unchecked Sendable {
  private let handle: OpaquePointer
  private var prepared: Set<String> = []
  /// Results in transit for which no caller is waiting.
  private var unread: [Expectation] = []
  private(set) var isLost = false
  /// Generation of the pool when the connection was created.
  var generation = 0

  private enum Expectation {
    case preparation(PostgresStatement)
    case result
    case end
  }

  /// Milliseconds without a response after which the server counts as lost. Longer than the server's own timeouts for
  /// locks and statements.
  private static let silenceMillis: Int32 = 20_000

  /// Connects to a server.
  ///
  /// Later settings override earlier ones. The value of `dbname` may be an address.
  package init(settings: [(name: String, value: String)]) throws(DatabaseFailure) {
    let made = settings.map(\.name).withCStrings { names in
      settings.map(\.value).withCStrings { values in PQconnectdbParams(names, values, 1) }
    }
    guard let made else { throw .lost("out of memory: cannot create a connection") }
    guard PQstatus(made) == CONNECTION_OK else {
      var words = Self.words(PQerrorMessage(made))
      if PQconnectionNeedsPassword(made) == 1 {
        words += "; put its password in ~/.pgpass or the file named by PGPASSFILE, with one line per server"
      }
      PQfinish(made)
      throw .lost(words)
    }
    handle = made
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
      PQfinish(made)
      throw .lost("the connection does not support pipeline mode")
    }
    // Discard notices, because the server logs them itself.
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
  }

  deinit { PQfinish(handle) }

  /// Runs statements in order, in one round trip. If one is rejected, those after it are not executed.
  package func run(_ calls: [PostgresCall]) throws(DatabaseFailure) -> [PostgresRows] {
    let expected = try send(calls)
    try readUnread()
    return try receive(expected)
  }

  package func run(_ call: PostgresCall) throws(DatabaseFailure) -> PostgresRows { try run([call])[0] }

  /// Sends the statement that ends a read-only transaction. The next caller on this connection reads its result.
  func runLater(_ call: PostgresCall) {
    guard !isLost else { return }
    do {
      unread += try send([call])
    } catch {
      // The connection is lost, and the transaction with it.
    }
  }

  private func readUnread() throws(DatabaseFailure) {
    guard !unread.isEmpty else { return }
    let expected = unread
    unread = []
    do throws(DatabaseFailure) {
      _ = try receive(expected)
    } catch {
      // Without this result, the state of the transaction is unknown.
      throw lose("the end of the previous transaction was rejected: \(error)")
    }
  }
}

// MARK: Notifications

extension PostgresConnection {
  /// Waits for data from the server or from another descriptor, or returns `false` on timeout.
  func waitForInput(or descriptor: Int32, atMost milliseconds: Int32) throws(DatabaseFailure) -> Bool {
    guard !isLost else { throw .lost("the connection was already lost") }
    var descriptors = [
      pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&descriptors, 2, milliseconds)
    guard count >= 0 || errno == EINTR else { throw lose() }
    if descriptors[0].revents != 0, PQconsumeInput(handle) != 1 { throw lose() }
    return count != 0
  }

  /// Returns the notifications that other connections have sent since the last call, on channels this one listens to.
  func takeNotifications() -> [String] {
    let own = PQbackendPID(handle)
    var texts: [String] = []
    while let notification = PQnotifies(handle) {
      if notification.pointee.be_pid != own, let text = notification.pointee.extra {
        texts.append(PostgresText.unescape(String(cString: text).utf8))
      }
      PQfreemem(notification)
    }
    return texts
  }
}

// MARK: Sending

extension PostgresConnection {
  private func send(_ calls: [PostgresCall]) throws(DatabaseFailure) -> [Expectation] {
    guard !isLost else { throw .lost("the connection was already lost") }
    var expected: [Expectation] = []
    var preparing: Set<String> = []
    for call in calls {
      let name = call.statement.name
      if !prepared.contains(name), preparing.insert(name).inserted {
        let types = call.values.map(\.type)
        guard PQsendPrepare(handle, name, call.statement.sql, Int32(types.count), types) == 1 else { throw lose() }
        expected.append(.preparation(call.statement))
      }
      try send(call)
      expected.append(.result)
    }
    guard PQpipelineSync(handle) == 1 else { throw lose() }
    expected.append(.end)
    try flush()
    return expected
  }

  private func send(_ call: PostgresCall) throws(DatabaseFailure) {
    let encoded = call.values.map(\.encoded)
    var bytes: [UInt8] = []
    var places: [Int?] = []
    for value in encoded {
      places.append(value.map { _ in bytes.count })
      bytes += value ?? []
    }
    // An empty value needs an address too, because a null pointer means NULL.
    bytes.append(0)
    let isSent = bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }
      let values = places.map { place in place.flatMap { place in start.map { $0 + place } } }
      return PQsendQueryPrepared(
        handle, call.statement.name, Int32(values.count), values, encoded.map { Int32($0?.count ?? 0) },
        [Int32](repeating: 1, count: values.count), 1)
    }
    guard isSent == 1 else { throw lose() }
  }

  /// Sends all queued data. Reads responses at the same time, because the server may block until they are read.
  private func flush() throws(DatabaseFailure) {
    while true {
      let left = PQflush(handle)
      if left == 0 { return }
      guard left == 1 else { throw lose() }
      let ready = try wait(for: Int16(POLLIN | POLLOUT))
      if ready & Int16(POLLIN) != 0, PQconsumeInput(handle) != 1 { throw lose() }
    }
  }
}

// MARK: Receiving

extension PostgresConnection {
  /// Reads the results, then throws the first rejection.
  private func receive(_ expected: [Expectation]) throws(DatabaseFailure) -> [PostgresRows] {
    var rows: [PostgresRows] = []
    var refusal: DatabaseFailure?
    for expectation in expected {
      guard let result = try next() else { throw lose("the server returned fewer results than expected") }
      let status = PQresultStatus(result)
      switch (expectation, status) {
      case (.end, PGRES_PIPELINE_SYNC):
        PQclear(result)
        continue
      case (.preparation(let statement), PGRES_COMMAND_OK):
        prepared.insert(statement.name)
        PQclear(result)
      case (.result, PGRES_COMMAND_OK), (.result, PGRES_TUPLES_OK): rows.append(PostgresRows(result))
      case (_, PGRES_PIPELINE_ABORTED): PQclear(result)
      case (_, PGRES_FATAL_ERROR):
        let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        let words = Self.words(PQresultErrorMessage(result))
        PQclear(result)
        guard !code.isEmpty else { throw lose(words) }
        refusal = refusal ?? .refused(code: code, words)
      default:
        PQclear(result)
        throw lose("unexpected result from the server (\(status.rawValue))")
      }
      // In a pipeline, each result is followed by a null result.
      if let more = try next() {
        PQclear(more)
        throw lose("the server returned more results than expected")
      }
    }
    if let refusal {
      if refusal.endsConnection { isLost = true }
      throw refusal
    }
    return rows
  }

  private func next() throws(DatabaseFailure) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      _ = try wait(for: Int16(POLLIN))
      guard PQconsumeInput(handle) == 1 else { throw lose() }
    }
    return PQgetResult(handle)
  }

  private func wait(for events: Int16) throws(DatabaseFailure) -> Int16 {
    var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
    while true {
      let count = poll(&descriptor, 1, Self.silenceMillis)
      if count > 0 { return descriptor.revents }
      if count == 0 { throw lose("no response within \(Self.silenceMillis / 1000) seconds") }
      guard errno == EINTR else { throw lose() }
    }
  }

  private func lose(_ words: String? = nil) -> DatabaseFailure {
    isLost = true
    return .lost(words ?? Self.words(PQerrorMessage(handle)))
  }

  private static func words(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    return String(cString: text).split(separator: "\n").map { line in
      var line = line
      while line.first?.isWhitespace == true { line.removeFirst() }
      return line
    }.joined(separator: "; ")
  }
}

extension [String] {
  /// Calls `body` with the strings as C strings, followed by a null pointer.
  fileprivate func withCStrings<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
}
