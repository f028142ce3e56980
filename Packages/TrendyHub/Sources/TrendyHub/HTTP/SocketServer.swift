import Foundation
import Synchronization
import TrendyProtocols

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Accepts connections, reads requests strictly and within the limits, has them handled, and writes the answers.
///
/// All connections belong to one thread, which never waits for anything but its sockets: what a handler or a stream has
/// made comes to it through a mailbox.
///
/// @unchecked: the thread alone touches what `run()` changes; `mailbox` is a lock; the rest is written by `init` alone.
final class SocketServer: @unchecked Sendable {
  private enum Message {
    case answer(UInt64, HTTPResponse)
    case piece(UInt64, Data)
    case end(UInt64, isWhole: Bool)
  }

  private struct Mailbox {
    var messages: [Message] = []
    var isStopping = false
    var hasStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let handler: HTTPHandler
  private let clock: any TimeSource
  private let limits: HTTPLimits
  private let identifiers: RequestIdentifiers
  private let log: AccessLog?
  private let wake: (reading: Int32, writing: Int32)
  private let mailbox = Mutex(Mailbox())

  private var listener: Int32
  private var connections: [UInt64: SocketConnection] = [:]
  private var lastNumber: UInt64 = 0
  /// Of the connections that do not linger.
  private var openCount = 0
  private var countByAddress: [String: Int] = [:]
  private var acceptPausedUntil: Duration?
  private var stopDeadline: Duration?
  private var hasAborted = false
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var date = (second: Int64.min, text: "")

  init(
    listener: Int32, handler: @escaping HTTPHandler, clock: any TimeSource, limits: HTTPLimits,
    identifiers: RequestIdentifiers, log: AccessLog?
  ) throws(HTTPTransportError) {
    self.listener = listener
    self.handler = handler
    self.clock = clock
    self.limits = limits
    self.identifiers = identifiers
    self.log = log
    wake = try Sockets.pipe()
  }

  /// The thread holds the server until it has ended, and so does each task of a handler: nobody writes to the pipe any more.
  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  func start() {
    let thread = Thread { self.run() }
    thread.name = "trendy-http"
    thread.start()
  }

  func stop() async {
    await withCheckedContinuation { continuation in
      let hasStopped = mailbox.withLock { mailbox in
        if mailbox.hasStopped { return true }
        mailbox.isStopping = true
        mailbox.waiters.append(continuation)
        return false
      }
      if hasStopped { continuation.resume() } else { wakeUp() }
    }
  }

  private func post(_ message: Message) {
    let isFirst = mailbox.withLock { mailbox in
      mailbox.messages.append(message)
      return mailbox.messages.count == 1
    }
    if isFirst { wakeUp() }
  }

  private func wakeUp() {
    var byte: UInt8 = 1
    // A full pipe wakes just as well.
    _ = write(wake.writing, &byte, 1)
  }
}

// MARK: - The thread

extension SocketServer {
  private func run() {
    while true {
      let ready = wait()
      let now = clock.uptime
      let (messages, isStopping) = mailbox.withLock { mailbox in
        defer { mailbox.messages = [] }
        return (mailbox.messages, mailbox.isStopping)
      }
      if isStopping, stopDeadline == nil { beginStopping(now: now) }
      for message in messages { take(message, now: now) }
      for number in ready { if let connection = connections[number] { serve(connection, now: now) } }
      if listener >= 0, acceptPausedUntil.map({ $0 <= now }) ?? true { acceptAll(now: now) }
      expire(now: now)
      if let stopDeadline, finishStopping(now: now, deadline: stopDeadline) { break }
    }
    for connection in connections.values { Sockets.close(connection.socket) }
    connections = [:]
    let waiters = mailbox.withLock { mailbox in
      mailbox.hasStopped = true
      defer { mailbox.waiters = [] }
      return mailbox.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Sleeps until a socket has something, a message comes, or a deadline.
  /// - Returns: the connections that have something.
  private func wait() -> [UInt64] {
    var descriptors = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
    var numbers: [UInt64] = []
    var next = stopDeadline
    func consider(_ deadline: Duration?) { if let deadline { next = min(next ?? deadline, deadline) } }
    for connection in connections.values {
      consider(connection.deadline)
      guard let events = connection.events else { continue }
      descriptors.append(pollfd(fd: connection.socket, events: events, revents: 0))
      numbers.append(connection.number)
    }
    let now = clock.uptime
    if listener >= 0 {
      if let acceptPausedUntil, acceptPausedUntil > now {
        consider(acceptPausedUntil)
      } else {
        descriptors.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
      }
    }
    var timeout: Int32 = -1
    if let next {
      let (seconds, attoseconds) = (next - now).components
      // One millisecond more than the rest, so that the deadline has passed when the poll returns.
      timeout = Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
    _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
    if descriptors[0].revents != 0 {
      var drain = [UInt8](repeating: 0, count: 64)
      while read(wake.reading, &drain, drain.count) == drain.count {}
    }
    return numbers.indices.compactMap { descriptors[$0 + 1].revents == 0 ? nil : numbers[$0] }
  }

  private func acceptAll(now: Duration) {
    acceptPausedUntil = nil
    while true {
      switch Sockets.accept(listener) {
      case .none: return
      case .exhausted:
        // Accepting again at once would spin: the connection stays in the backlog until a descriptor is free.
        acceptPausedUntil = now + .milliseconds(100)
        return
      case .connection(let socket, let address):
        lastNumber += 1
        let connection = SocketConnection(
          number: lastNumber, socket: socket, address: address, requestId: identifiers.next(),
          deadline: now + limits.headDeadline)
        let refusal = makeRoom(for: connection)
        connections[connection.number] = connection
        openCount += 1
        countByAddress[address, default: 0] += 1
        if let refusal { refuse(connection, refusal, now: now) } else { serve(connection, now: now) }
      }
    }
  }

  /// Closes the connection that has been idle for longest, where there are too many.
  private func makeRoom(for connection: SocketConnection) -> Problem? {
    if countByAddress[connection.address, default: 0] >= limits.connectionsPerAddress,
      !closeLongestIdle(where: { $0.address == connection.address })
    {
      return Problem(
        "rate_limited", status: 429, title: "Too many connections",
        detail:
          "\(limits.connectionsPerAddress) connections are open from this address: wait for an answer before asking again",
        retryAfter: .seconds(1))
    }
    if openCount >= limits.connections, !closeLongestIdle(where: { _ in true }) {
      return .busy("\(limits.connections) connections are open")
    }
    return nil
  }

  private func closeLongestIdle(where isMeant: (SocketConnection) -> Bool) -> Bool {
    // One that has not asked yet is about to.
    let idle = connections.values.filter { $0.isIdle && $0.hasAsked && isMeant($0) }
    guard let longest = idle.min(by: { ($0.deadline ?? .zero) < ($1.deadline ?? .zero) }) else { return false }
    remove(longest)
    return true
  }

  /// Does what the connection's stage allows, until it has to wait.
  private func serve(_ connection: SocketConnection, now: Duration) {
    if connection.sent < connection.output.count {
      guard connection.flush() else { return drop(connection) }
      guard connection.output.isEmpty else {
        connection.deadline = now + limits.sendIdleDeadline
        return
      }
      return onFlushed(connection, now: now)
    }
    switch connection.stage {
    case .head, .body:
      if !connection.receive(using: &buffer) { connection.isHalfClosed = true }
      readOn(connection, now: now)
    case .lingering:
      var count = Sockets.receive(connection.socket, into: &buffer)
      while count > 0, connection.lingerBudget > 0 {
        connection.lingerBudget -= count
        count = Sockets.receive(connection.socket, into: &buffer)
      }
      if count == 0 || connection.lingerBudget <= 0 { remove(connection) }
    case .streaming:
      // Only a stream that ends with its reader is watched here.
      drop(connection)
    case .handling, .writing:
      break
    }
  }

  private func expire(now: Duration) {
    for connection in connections.values {
      guard let deadline = connection.deadline, deadline <= now else { continue }
      switch connection.stage {
      case .head where connection.isIdle && connection.hasAsked: remove(connection)
      case .head:
        refuse(connection, .timeout("the request's head did not arrive within \(limits.headDeadline)"), now: now)
      case .body(let head):
        refuse(
          connection, .timeout("the body did not arrive within \(limits.bodyDeadline)"), head: head, now: now)
      case .handling: break
      case .writing, .streaming, .lingering: drop(connection)
      }
    }
  }

  /// The connection is of no use any more: nobody reads it.
  private func drop(_ connection: SocketConnection) {
    connection.task?.cancel()
    remove(connection)
  }

  private func remove(_ connection: SocketConnection) {
    guard connections.removeValue(forKey: connection.number) != nil else { return }
    if case .lingering = connection.stage {} else { countOut(connection) }
    Sockets.close(connection.socket)
  }

  private func countOut(_ connection: SocketConnection) {
    openCount -= 1
    let left = countByAddress[connection.address, default: 1] - 1
    countByAddress[connection.address] = left == 0 ? nil : left
  }
}

// MARK: - Requests

extension SocketServer {
  /// Takes requests out of what has come, as long as they can be handled.
  private func readOn(_ connection: SocketConnection, now: Duration) {
    if case .head = connection.stage {
      guard let head = readHead(connection, now: now) else { return }
      connection.stage = .body(head)
      connection.deadline = now + limits.bodyDeadline
      if head.contentLength > connection.input.count, !head.isVersion10,
        head.headers["Expect"]?.lowercased() == "100-continue"
      {
        connection.output += Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        guard connection.flush() else { return drop(connection) }
      }
    }
    guard case .body(let head) = connection.stage else { return }
    guard connection.input.count >= head.contentLength else {
      // The body can no longer come, and nobody says so to who has gone.
      if connection.isHalfClosed {
        refuse(
          connection, .malformedRequest("the request ended in the middle of its body"), head: head, now: now)
      }
      return
    }
    let request = HTTPRequest(
      id: connection.requestId, method: head.method, target: head.target, headers: head.headers,
      body: Data(connection.input.prefix(head.contentLength)), remoteAddress: connection.address)
    connection.input.removeFirst(head.contentLength)
    connection.deadline = nil
    connection.hasAsked = true
    connection.isKept = head.isKept && !connection.isHalfClosed && stopDeadline == nil
    let number = connection.number
    connection.stage = .handling(head, Task { [handler] in self.post(.answer(number, await handler(request))) })
  }

  /// The head, taken off the input; `nil` while it is not whole, or was refused.
  private func readHead(_ connection: SocketConnection, now: Duration) -> HTTPHead? {
    let new = connection.input[connection.seen...]
    if connection.seen == 0, !new.isEmpty, connection.hasAsked {
      // The idle time is over.
      connection.deadline = now + limits.headDeadline
    }
    // A head that drips is not read anew for every byte.
    let isWorthReading =
      connection.seen == 0 || new.contains(UInt8(ascii: "\n")) || connection.input.count > limits.headBytes
      || !connection.hasLine && connection.input.count > limits.targetBytes
    if new.contains(UInt8(ascii: "\n")) { connection.hasLine = true }
    connection.seen = connection.input.count
    if isWorthReading, !connection.input.isEmpty {
      switch HTTPHead.read(connection.input, limits: limits) {
      case .complete(let head, let length):
        connection.input.removeFirst(length)
        connection.seen = 0
        connection.hasLine = false
        return head
      case .refused(let problem):
        refuse(connection, problem, now: now)
        return nil
      case .incomplete: break
      }
    }
    if connection.isHalfClosed {
      if connection.input.isEmpty {
        remove(connection)
      } else {
        refuse(connection, .malformedRequest("the request ended in the middle of its head"), now: now)
      }
    }
    return nil
  }

  /// Answers in the server's own words, and ends the connection.
  private func refuse(_ connection: SocketConnection, _ problem: Problem, head: HTTPHead? = nil, now: Duration) {
    let path = head.map { String($0.target.prefix { $0 != "?" }) }
    log?(
      AccessLogEntry(
        requestId: connection.requestId, method: head?.method ?? "", path: path ?? "", status: problem.status,
        remoteAddress: connection.address))
    connection.isKept = false
    answer(connection, problem.response(instance: path, requestId: connection.requestId), to: head, now: now)
  }
}

// MARK: - Answers

extension SocketServer {
  private func take(_ message: Message, now: Duration) {
    switch message {
    case .answer(let number, let response):
      guard let connection = connections[number], case .handling(let head, _) = connection.stage else { return }
      answer(connection, response, to: head, now: now)
    case .piece(let number, let data):
      guard let connection = connections[number], case .streaming(let stream, _) = connection.stage else { return }
      connection.stage = .streaming(stream, nil)
      if data.isEmpty { return onFlushed(connection, now: now) }
      if connection.isChunked {
        connection.output += Array("\(String(data.count, radix: 16))\r\n".utf8)
        connection.output += data
        connection.output += [0x0D, 0x0A]
      } else {
        connection.output += data
      }
      send(connection, now: now)
    case .end(let number, let isWhole):
      guard let connection = connections[number], case .streaming = connection.stage else { return }
      // Cut off, so that what is not whole cannot pass for it.
      guard isWhole else { return drop(connection) }
      if connection.isChunked { connection.output += Array("0\r\n\r\n".utf8) }
      connection.stage = .writing
      send(connection, now: now)
    }
  }

  private func answer(_ connection: SocketConnection, _ response: HTTPResponse, to head: HTTPHead?, now: Duration) {
    let isHead = head?.method == "HEAD"
    let hasBody = !isHead && response.status != 204 && response.status != 304
    connection.isChunked = false
    var text = "HTTP/1.1 \(response.status) \(Self.phrase(response.status))\r\nDate: \(dateText())\r\n"
    for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
    switch response.body {
    case .data(let body):
      connection.stage = .writing
      if response.status != 204, response.status != 304 { text += "Content-Length: \(body.count)\r\n" }
      connection.output += Array((text + ending(connection)).utf8)
      if hasBody { connection.output += body }
    case .stream(let stream):
      connection.isChunked = head?.isVersion10 == false
      connection.isKept = connection.isKept && connection.isChunked
      if connection.isChunked { text += "Transfer-Encoding: chunked\r\n" }
      connection.stage = hasBody ? .streaming(stream, nil) : .writing
      connection.output += Array((text + ending(connection)).utf8)
    }
    send(connection, now: now)
  }

  /// The last lines of an answer's head.
  private func ending(_ connection: SocketConnection) -> String {
    connection.isKept ? "\r\n" : "Connection: close\r\n\r\n"
  }

  private func send(_ connection: SocketConnection, now: Duration) {
    connection.deadline = now + limits.sendIdleDeadline
    guard connection.flush() else { return drop(connection) }
    if connection.output.isEmpty { onFlushed(connection, now: now) }
  }

  /// What there was to send has gone out.
  private func onFlushed(_ connection: SocketConnection, now: Duration) {
    switch connection.stage {
    case .streaming(let stream, nil):
      connection.deadline = nil
      let number = connection.number
      let task = Task {
        do {
          if let piece = try await stream.next() {
            self.post(.piece(number, piece))
          } else {
            self.post(.end(number, isWhole: true))
          }
        } catch {
          // The other end sees a body cut off; the words of the error are for the handler that made the stream.
          self.post(.end(number, isWhole: false))
        }
      }
      connection.stage = .streaming(stream, task)
    case .writing:
      guard connection.isKept else { return linger(connection, now: now) }
      connection.stage = .head
      connection.requestId = identifiers.next()
      connection.deadline = now + limits.idleDeadline
      connection.seen = 0
      // The next request may have come already.
      readOn(connection, now: now)
    default: break
    }
  }

  private func linger(_ connection: SocketConnection, now: Duration) {
    Sockets.shutdownWriting(connection.socket)
    countOut(connection)
    connection.stage = .lingering
    connection.input = []
    connection.deadline = now + .seconds(2)
    // Under attack the courtesy of waiting for the other end's close is for the first ones.
    if connections.count - openCount > limits.connections { remove(connection) }
  }

  private func dateText() -> String {
    let second = Int64(clock.now.timeIntervalSince1970.rounded(.down))
    if second != date.second { date = (second, HTTPDate.text(second: second)) }
    return date.text
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: "Status"
    }
  }
}

// MARK: - Stopping

extension SocketServer {
  private func beginStopping(now: Duration) {
    Sockets.close(listener)
    listener = -1
    stopDeadline = now + limits.stopDeadline
    for connection in connections.values {
      connection.isKept = false
      // Who has said nothing yet waits for nothing; a request that is on its way is served.
      if connection.isIdle { serve(connection, now: now) }
      if connection.isIdle { remove(connection) }
    }
  }

  /// Whether everything has been answered, or has had its time and a little more.
  private func finishStopping(now: Duration, deadline: Duration) -> Bool {
    if openCount == 0 { return true }
    guard now >= deadline else { return false }
    if hasAborted { return true }
    hasAborted = true
    stopDeadline = now + .seconds(1)
    for connection in connections.values {
      switch connection.stage {
      case .head, .body: refuse(connection, .busy("this hub is shutting down"), now: now)
      case .handling(let head, let task):
        task.cancel()
        refuse(connection, .busy("this hub is shutting down"), head: head, now: now)
      case .streaming: drop(connection)
      case .writing, .lingering: break
      }
    }
    return openCount == 0
  }
}

extension Problem {
  static func busy(_ detail: String) -> Problem {
    Problem(
      "unavailable", status: 503, title: "Service unavailable", detail: "\(detail): try again in a moment",
      retryAfter: .seconds(1))
  }

  static func timeout(_ detail: String) -> Problem {
    Problem("timeout", status: 408, title: "Request timeout", detail: detail)
  }
}
