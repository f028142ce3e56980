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

/// Accepts connections, and carries out what ``HTTPConnection`` says of each.
///
/// All connections belong to one thread, which never waits for anything but its sockets: what a handler or a stream has
/// made comes to it through a mailbox.
///
/// @unchecked: the thread alone touches what `run()` changes; `mailbox` is a lock; the rest is written by `init` alone.
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
    /// Waiting for the thread's next turn.
    var turns: [CheckedContinuation<Void, Never>] = []
  }

  // Numbers of what is watched besides connections.
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
  /// Of the connections that do not linger.
  var openCount = 0
  var numbersByAddress: [String: Set<UInt64>] = [:]
  var deadlines = DeadlineQueue()
  /// The deadlines of those that were idle when they were armed: the one with the earliest has been idle for longest.
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

  /// The thread holds the server until it has ended, and so does each task of a handler: nobody writes to the pipe any more.
  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  func start() {
    Thread.detachNewThread {
      // On Linux a name that is given before the start is not the thread's.
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

  /// Returns when the thread has had a turn since the call, or has ended.
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
    // A full pipe wakes just as well.
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

  /// Milliseconds to the next deadline; -1 where there is none.
  private func patience() -> Int32 {
    var next = stopDeadline
    func consider(_ deadline: Duration?) { if let deadline { next = min(next ?? deadline, deadline) } }
    consider(acceptPausedUntil)
    consider(deadlines.next)
    guard let next else { return -1 }
    let (seconds, attoseconds) = (next - clock.uptime).components
    // One millisecond more than the rest, so that the deadline has passed when the wait returns.
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
      // Who has said nothing yet waits for nothing; a request that is on its way is served.
      if channel.connection.isIdle { serve(channel, now: now) }
      feed(channel, .stop, now: now)
    }
    let arriving = arrivingCount
    if arriving > 0 {
      logEnding("\(arriving) requests are still arriving; what is whole within \(limits.stopDeadline) is served")
    }
  }

  private var arrivingCount: Int { channels.values.count { $0.connection.isArriving } }

  private func logEnding(_ words: String) {
    log?(
      AccessLogEntry(
        requestId: "", method: "", path: "", status: 503, remoteAddress: "", failure: "this server ends: \(words)"))
  }

  /// Whether everything has been answered, or has had its time and a little more.
  private func finishStopping(now: Duration, deadline: Duration) -> Bool {
    if channels.isEmpty { return true }
    if openCount == 0, !hasAborted {
      // Those that were answered before they had sent everything: closed at once, they would never see the answer.
      hasAborted = true
      stopDeadline = min(deadline, now + limits.lastWordsDeadline)
      return false
    }
    guard now >= deadline else { return false }
    if hasAborted { return true }
    hasAborted = true
    stopDeadline = now + limits.lastWordsDeadline
    let arriving = arrivingCount
    if arriving > 0 { logEnding("\(arriving) requests that were still arriving are answered 503") }
    for channel in channels.values { feed(channel, .abort, now: now) }
    return channels.isEmpty
  }
}
