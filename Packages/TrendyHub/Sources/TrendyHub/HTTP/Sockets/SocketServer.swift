import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Accepts connections and performs the effects of each ``HTTPConnection``.
///
/// One thread owns all connections and blocks only on sockets. Results from handlers and streams reach it through a
/// mailbox.
///
/// @unchecked: state that `run()` changes is accessed only by the thread, `mailbox` is locked, and all other properties
/// are constant after `init`.
final class SocketServer: @unchecked Sendable {
  struct Message {
    var number: UInt64
    var event: HTTPConnection.Event
  }

  private struct Mailbox {
    var messages: [Message] = []
    var isStopping = false
    var hasStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var turns: [CheckedContinuation<Void, Never>] = []
  }

  // Poller numbers of descriptors that are not connections.
  static let wakeNumber: UInt64 = 0
  static let listenerNumber: UInt64 = 1

  let gate: HTTPGate?
  let handler: HTTPHandler
  let clock: any TimeSource
  let limits: HTTPLimits
  let identifiers: RandomSource
  let log: AccessLog?
  let poller: Poller
  private let wake: (reading: Int32, writing: Int32)
  private let mailbox = Mutex(Mailbox())

  var listener: Int32
  var channels: [UInt64: SocketChannel] = [:]
  var lastNumber = SocketServer.listenerNumber
  /// Number of connections that are not lingering.
  var openCount = 0
  var numbersByAddress: [String: Set<UInt64>] = [:]
  var deadlines = DeadlineQueue()
  /// Deadlines of idle connections. The earliest one belongs to the connection that has been idle longest.
  var idleDeadlines = DeadlineQueue()
  var acceptPausedUntil: Duration?
  var shortage = ShortageNotice()
  var stopDeadline: Duration?
  var hasAborted = false
  var buffer = [UInt8](repeating: 0, count: 65_536)
  private var date = (second: Int64.min, text: "")

  init(
    listener: Int32, gate: HTTPGate?, handler: @escaping HTTPHandler, clock: any TimeSource, limits: HTTPLimits,
    identifiers: RandomSource, log: AccessLog?
  ) throws(HTTPTransportError) {
    self.listener = listener
    self.gate = gate
    self.handler = handler
    self.clock = clock
    self.limits = limits
    self.identifiers = identifiers
    self.log = log
    poller = try Poller()
    wake = try Sockets.pipe()
  }

  /// The thread and the handlers' tasks retain the server, so nothing can write to the pipe any more.
  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  func start() {
    Thread.detachNewThread {
      // On Linux, a name set before the thread starts is ignored.
      Thread.current.name = "trendy-http"
      self.run()
    }
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

  /// Returns once the thread has processed its connections again, or has ended.
  func turn() async {
    await withCheckedContinuation { continuation in
      let hasStopped = mailbox.withLock { mailbox in
        if !mailbox.hasStopped { mailbox.turns.append(continuation) }
        return mailbox.hasStopped
      }
      if hasStopped { continuation.resume() } else { wakeUp() }
    }
  }

  func post(_ event: HTTPConnection.Event, to number: UInt64) {
    let isFirst = mailbox.withLock { mailbox in
      mailbox.messages.append(Message(number: number, event: event))
      return mailbox.messages.count == 1
    }
    if isFirst { wakeUp() }
  }

  private func wakeUp() {
    var byte: UInt8 = 1
    // If the pipe is full, the thread will wake anyway.
    _ = write(wake.writing, &byte, 1)
  }

  var surroundings: HTTPConnection.Surroundings {
    let second = Int64(clock.now.timeIntervalSince1970.rounded(.down))
    if second != date.second { date = (second, HTTPDate.text(second: second)) }
    return HTTPConnection.Surroundings(
      limits: limits, hasGate: gate != nil, date: date.text, nextRequestId: identifiers.hexadecimalDigits)
  }
}

// MARK: - The thread

extension SocketServer {
  private func run() {
    poller.watch(wake.reading, number: Self.wakeNumber, for: .reading)
    poller.watch(listener, number: Self.listenerNumber, for: .reading)
    while true {
      let ready = poller.wait(atMost: patience())
      let now = clock.uptime
      if ready.contains(Self.wakeNumber) { drainWake() }
      let (messages, isStopping, turns) = mailbox.withLock { mailbox in
        defer { (mailbox.messages, mailbox.turns) = ([], []) }
        return (mailbox.messages, mailbox.isStopping, mailbox.turns)
      }
      for turn in turns { turn.resume() }
      if isStopping, stopDeadline == nil { beginStopping(now: now) }
      for message in messages {
        if let channel = channels[message.number] { feed(channel, message.event, now: now) }
      }
      for number in ready { if let channel = channels[number] { serve(channel, now: now) } }
      if ready.contains(Self.listenerNumber) || acceptPausedUntil.map({ $0 <= now }) == true { acceptSome(now: now) }
      endOverdue(now: now)
      if let stopDeadline, finishStopping(now: now, deadline: stopDeadline) { break }
    }
    for channel in channels.values { Sockets.close(channel.socket) }
    channels = [:]
    let waiters = mailbox.withLock { mailbox in
      mailbox.hasStopped = true
      defer { (mailbox.waiters, mailbox.turns) = ([], []) }
      return mailbox.waiters + mailbox.turns
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns the milliseconds until the next deadline, or -1 if there is none.
  private func patience() -> Int32 {
    var next = stopDeadline
    func consider(_ deadline: Duration?) { if let deadline { next = min(next ?? deadline, deadline) } }
    consider(acceptPausedUntil)
    consider(deadlines.next)
    guard let next else { return -1 }
    let (seconds, attoseconds) = (next - clock.uptime).components
    // Add one millisecond, so the deadline has passed when the wait returns.
    return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
  }

  private func endOverdue(now: Duration) {
    while let number = deadlines.take(now: now) {
      guard let channel = channels[number], let deadline = channel.deadline else { continue }
      if deadline <= now { feed(channel, .deadline, now: now) } else { deadlines.add(deadline, of: number) }
    }
  }

  private func drainWake() {
    var drain = [UInt8](repeating: 0, count: 64)
    while read(wake.reading, &drain, drain.count) == drain.count {}
    poller.watch(wake.reading, number: Self.wakeNumber, for: .reading)
  }

  private func beginStopping(now: Duration) {
    poller.forget(listener, number: Self.listenerNumber)
    Sockets.close(listener)
    listener = -1
    acceptPausedUntil = nil
    stopDeadline = now + limits.stopDeadline
    for channel in channels.values {
      // Serve a request that is already arriving: an idle connection may have unread bytes.
      if channel.connection.isIdle { serve(channel, now: now) }
      feed(channel, .stop, now: now)
    }
    let arriving = arrivingCount
    if arriving > 0 {
      logEnding("\(arriving) requests are still arriving; those complete within \(limits.stopDeadline) are served")
    }
  }

  private var arrivingCount: Int { channels.values.count { $0.connection.isArriving } }

  private func logEnding(_ words: String) {
    log?(
      AccessLogEntry(
        requestId: "", method: "", path: "", status: 503, remoteAddress: "", failure: "shutting down: \(words)"))
  }

  /// Returns whether all connections are closed or the grace period has expired.
  private func finishStopping(now: Duration, deadline: Duration) -> Bool {
    if channels.isEmpty { return true }
    if openCount == 0, !hasAborted {
      // Wait a little longer, because some clients may have received a response before they finished sending. Closing
      // their connections now could cause a reset that discards the response.
      hasAborted = true
      stopDeadline = min(deadline, now + limits.lastWordsDeadline)
      return false
    }
    guard now >= deadline else { return false }
    if hasAborted { return true }
    hasAborted = true
    stopDeadline = now + limits.lastWordsDeadline
    let arriving = arrivingCount
    if arriving > 0 { logEnding("\(arriving) incomplete requests are rejected with status 503") }
    for channel in channels.values { feed(channel, .abort, now: now) }
    return channels.isEmpty
  }
}
