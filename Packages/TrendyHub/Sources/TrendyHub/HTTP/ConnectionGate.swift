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

/// Stands before the library: accepts connections, reads each head where it lies, and lets through only what is whole,
/// strict and within the limits. Everything else gets its answer in words from here.
///
/// The head is looked at without being taken (`MSG_PEEK`), so the library reads the same bytes again. One connection
/// carries one request: nothing that stands behind it can be taken for part of another.
///
/// @unchecked: `listener` and all that `run()` changes belong to the gate's one thread; `control` is a lock; the rest is
/// written by `init` alone.
final class ConnectionGate: @unchecked Sendable {
  private struct Control {
    var isStopping = false
    var hasStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private struct Pending {
    let socket: Int32
    let address: String
    let requestId: String
    let deadline: Duration
    var seen = 0
  }

  /// Answered, its writing side closed: read until the other end closes too, so that no reset overtakes the answer.
  private struct Lingering {
    let socket: Int32
    let deadline: Duration
    var budget = 4_194_304
  }

  private let server: MicrohttpdServer
  private let clock: any TimeSource
  private let limits: HTTPLimits
  private let identifiers: RequestIdentifiers
  private let log: AccessLog?
  private let wake: (reading: Int32, writing: Int32)
  private let control = Mutex(Control())

  private var listener: Int32
  private var pending: [Pending] = []
  private var lingering: [Lingering] = []
  private var acceptPausedUntil: Duration?
  private var stopDeadline: Duration?
  private var hasAborted = false
  private var buffer: [UInt8]

  init(
    listener: Int32, server: MicrohttpdServer, clock: any TimeSource, limits: HTTPLimits,
    identifiers: RequestIdentifiers, log: AccessLog?
  ) throws(HTTPTransportError) {
    self.listener = listener
    self.server = server
    self.clock = clock
    self.limits = limits
    self.identifiers = identifiers
    self.log = log
    wake = try Sockets.pipe()
    buffer = [UInt8](repeating: 0, count: limits.headBytes + 1)
  }

  /// The thread holds the gate until it has ended, and so does whoever is in ``stop()``: nobody writes to the pipe any more.
  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  func start() {
    server.onConnectionsChanged = { [wake] in Self.wakeUp(wake.writing) }
    let thread = Thread { self.run() }
    thread.name = "trendy-gate"
    thread.start()
  }

  func stop() async {
    await withCheckedContinuation { continuation in
      let hasStopped = control.withLock { control in
        if control.hasStopped { return true }
        control.isStopping = true
        control.waiters.append(continuation)
        return false
      }
      if hasStopped { continuation.resume() } else { Self.wakeUp(wake.writing) }
    }
  }

  private static func wakeUp(_ descriptor: Int32) {
    var byte: UInt8 = 1
    // A full pipe wakes just as well.
    _ = write(descriptor, &byte, 1)
  }
}

// MARK: - The gate's thread

extension ConnectionGate {
  private func run() {
    while true {
      let hungUp = wait()
      let now = clock.uptime
      if stopDeadline == nil, control.withLock({ $0.isStopping }) { beginStopping(now: now) }
      if listener >= 0, acceptPausedUntil.map({ $0 <= now }) ?? true { acceptAll(now: now) }
      readHeads(now: now)
      drainLingering(now: now)
      // Only a stream is watched, so there is an answer already.
      for exchange in server.table.departed(among: hungUp) { exchange.abort(with: nil) }
      server.table.expire(now: now) { connection in
        self.refusal(
          .timeout("the body did not arrive within \(self.limits.bodyDeadline)"), requestId: connection.requestId,
          address: connection.address, head: connection.head)
      }
      if let stopDeadline, finishStopping(now: now, deadline: stopDeadline) { break }
    }
    server.stop()
    for lingering in lingering { close(lingering.socket) }
    let waiters = control.withLock { control in
      control.hasStopped = true
      defer { control.waiters = [] }
      return control.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Sleeps until a socket has something, someone calls, or a deadline comes.
  /// - Returns: watched sockets whose other end seems to have gone.
  private func wait() -> [Int32] {
    var descriptors = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
    let now = clock.uptime
    if listener >= 0, acceptPausedUntil.map({ $0 <= now }) ?? true {
      descriptors.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
    }
    for pending in pending { descriptors.append(pollfd(fd: pending.socket, events: Int16(POLLIN), revents: 0)) }
    for lingering in lingering { descriptors.append(pollfd(fd: lingering.socket, events: Int16(POLLIN), revents: 0)) }
    let watched = server.table.watched
    let firstWatched = descriptors.count
    for socket in watched { descriptors.append(pollfd(fd: socket, events: Sockets.hangUpEvents, revents: 0)) }
    var deadlines = pending.map(\.deadline) + lingering.map(\.deadline)
    if let next = server.table.nextDeadline { deadlines.append(next) }
    if let acceptPausedUntil, acceptPausedUntil > now { deadlines.append(acceptPausedUntil) }
    if let stopDeadline { deadlines.append(stopDeadline) }
    var timeout: Int32 = -1
    if let next = deadlines.min() {
      let (seconds, attoseconds) = (next - now).components
      // One millisecond more than the rest, so that the deadline has passed when the poll returns.
      timeout = Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
    _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
    var drain = [UInt8](repeating: 0, count: 64)
    while read(wake.reading, &drain, drain.count) > 0 {}
    return descriptors[firstWatched...].filter { $0.revents != 0 }.map(\.fd)
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
        let requestId = identifiers.next()
        switch server.table.admit(socket, address: address, requestId: requestId, limits: limits) {
        case .admitted:
          pending.append(
            Pending(socket: socket, address: address, requestId: requestId, deadline: now + limits.headDeadline))
        case .tooManyInAll:
          refuse(
            socket, .busy("\(limits.connections) connections are open"), requestId: requestId, address: address,
            now: now)
        case .tooManyFromAddress:
          let problem = Problem(
            "rate_limited", status: 429, title: "Too many connections",
            detail:
              "\(limits.connectionsPerAddress) connections are open from this address: wait for an answer before asking again",
            retryAfter: .seconds(1))
          refuse(socket, problem, requestId: requestId, address: address, now: now)
        }
      }
    }
  }

  private func readHeads(now: Duration) {
    var kept: [Pending] = []
    for var waiting in pending {
      let count = Sockets.peek(waiting.socket, into: &buffer)
      if count == 0 {
        server.table.remove(waiting.socket)
        close(waiting.socket)
        continue
      }
      if count > 0 {
        switch HTTPHead.read(buffer[0..<count], limits: limits) {
        case .complete(let head):
          handOn(waiting, head: head, now: now)
          continue
        case .refused(let problem):
          refuse(waiting, problem, now: now)
          continue
        case .incomplete where count == waiting.seen:
          // Woken without a new byte: the other end has closed its side in the middle of the head.
          if Sockets.isHalfClosed(waiting.socket) {
            refuse(waiting, .malformedRequest("the request ended in the middle of its head"), now: now)
            continue
          }
        case .incomplete:
          waiting.seen = count
          Sockets.setLowWater(waiting.socket, count + 1)
        }
      }
      if waiting.deadline <= now {
        refuse(waiting, .timeout("the request's head did not arrive within \(limits.headDeadline)"), now: now)
        continue
      }
      kept.append(waiting)
    }
    pending = kept
  }

  private func handOn(_ waiting: Pending, head: HTTPHead, now: Duration) {
    Sockets.setLowWater(waiting.socket, 1)
    server.table.handOn(
      waiting.socket, head: head, bodyDeadline: head.contentLength > 0 ? now + limits.bodyDeadline : nil)
    // A connection that is not taken has been closed by the library.
    if !server.add(waiting.socket) { server.table.remove(waiting.socket) }
  }

  private func refuse(_ waiting: Pending, _ problem: Problem, now: Duration) {
    server.table.remove(waiting.socket)
    refuse(waiting.socket, problem, requestId: waiting.requestId, address: waiting.address, now: now)
  }

  private func refuse(_ socket: Int32, _ problem: Problem, requestId: String, address: String, now: Duration) {
    Sockets.send(refusal(problem, requestId: requestId, address: address, head: nil), to: socket)
    Sockets.shutdownWriting(socket)
    // Under attack the courtesy of waiting for the other end's close is for the first ones.
    guard lingering.count < limits.connections else {
      close(socket)
      return
    }
    Sockets.setLowWater(socket, 1)
    lingering.append(Lingering(socket: socket, deadline: now + .seconds(2)))
  }

  /// The bytes of an answer that the library has no part in.
  private func refusal(_ problem: Problem, requestId: String, address: String, head: HTTPHead?) -> Data {
    let path = head.map { String($0.target.prefix { $0 != "?" }) }
    log?(
      AccessLogEntry(
        requestId: requestId, method: head?.method ?? "", path: path ?? "", status: problem.status,
        remoteAddress: address))
    let response = problem.response(instance: path, requestId: requestId)
    guard case .data(let body) = response.body else { preconditionFailure("a problem's body is a stream") }
    var text = "HTTP/1.1 \(response.status) \(problem.title)\r\n"
    for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
    text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    return Data(text.utf8) + body
  }

  private func drainLingering(now: Duration) {
    var kept: [Lingering] = []
    for var connection in lingering {
      var count = Sockets.discard(connection.socket, using: &buffer)
      while count > 0, connection.budget > 0 {
        connection.budget -= count
        count = Sockets.discard(connection.socket, using: &buffer)
      }
      if count == 0 || connection.budget <= 0 || connection.deadline <= now {
        close(connection.socket)
      } else {
        kept.append(connection)
      }
    }
    lingering = kept
  }

  private func beginStopping(now: Duration) {
    close(listener)
    listener = -1
    stopDeadline = now + limits.stopDeadline
    // Who has said nothing yet waits for nothing.
    for waiting in pending where waiting.seen == 0 && Sockets.peek(waiting.socket, into: &buffer) <= 0 {
      server.table.remove(waiting.socket)
      close(waiting.socket)
      pending.removeAll { $0.socket == waiting.socket }
    }
  }

  /// Whether everything has been answered, or has had its time and a little more.
  private func finishStopping(now: Duration, deadline: Duration) -> Bool {
    if server.table.isEmpty, pending.isEmpty { return true }
    guard now >= deadline else { return false }
    if hasAborted { return true }
    hasAborted = true
    stopDeadline = now + .seconds(1)
    let problem = Problem.busy("this hub is shutting down")
    for waiting in pending { refuse(waiting, problem, now: now) }
    pending = []
    for exchange in server.table.close() {
      exchange.abort(
        with: problem.response(
          instance: nil, requestId: server.table.connection(exchange.socket)?.requestId ?? identifiers.next()))
    }
    return false
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
