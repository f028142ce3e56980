import Foundation
import TrendyModels

extension SocketServer {
  /// Maximum number of connections to accept before serving the open ones.
  private static let acceptedAtOnce = 64

  func acceptSome(now: Duration) {
    acceptPausedUntil = nil
    guard listener >= 0 else { return }
    // A client that keeps opening connections must not starve the open ones.
    for _ in 0..<Self.acceptedAtOnce {
      switch Sockets.accept(listener) {
      case .none: return poller.watch(listener, number: Self.listenerNumber, for: .reading)
      case .exhausted:
        // Pause, because accepting again immediately would spin. The connection stays in the backlog until a descriptor
        // is free.
        acceptPausedUntil = now + .milliseconds(100)
        return logShortage(now: now)
      case .connection(let socket, let address): open(socket, address: address, now: now)
      }
    }
    poller.watch(listener, number: Self.listenerNumber, for: .reading)
  }

  private func open(_ socket: Int32, address: String, now: Duration) {
    lastNumber += 1
    let channel = SocketChannel(
      number: lastNumber, socket: socket,
      connection: HTTPConnection(address: address, requestId: identifiers.hexadecimalDigits()))
    let refusal = makeRoom(for: address)
    channels[channel.number] = channel
    openCount += 1
    numbersByAddress[address, default: []].insert(channel.number)
    arm(channel, now + limits.headDeadline)
    if let refusal {
      perform(channel.connection.refuse(refusal, surroundings), on: channel, now: now)
    } else {
      serve(channel, now: now)
    }
  }

  private func logShortage(now: Duration) {
    guard shortage.onShortage(now: now) else { return }
    log?(
      AccessLogEntry(
        requestId: "", method: "", path: "", status: 503, remoteAddress: "",
        failure:
          "out of file descriptors: new connections wait (logged once a minute); raise the limit (ulimit -n) or lower "
          + "--limit connections"))
  }

  /// Closes the connection that has been idle longest if a limit is reached. Returns a problem if none is idle.
  private func makeRoom(for address: String) -> Problem? {
    if numbersByAddress[address, default: []].count >= limits.connectionsPerAddress, !isProxy(address),
      !closeLongestIdle(of: address)
    {
      return Problem(
        "rate_limited", status: 429, title: "Too many connections",
        detail:
          "\(limits.connectionsPerAddress) connections from this address are open: wait for a response before sending more",
        retryAfter: .seconds(1))
    }
    if openCount >= limits.connections, !closeLongestIdle() {
      return .busy("\(limits.connections) connections are open")
    }
    return nil
  }

  /// Returns whether many clients may share the address.
  private func isProxy(_ address: String) -> Bool {
    if address == NetworkAddress.unixSocket { return true }
    guard !limits.proxies.isEmpty, let address = NetworkAddress(address) else { return false }
    return limits.proxies.contains { $0.contains(address) }
  }

  private func closeLongestIdle(of address: String) -> Bool {
    let idle = numbersByAddress[address, default: []].compactMap { channels[$0] }.filter(\.isIdle)
    guard let longest = idle.min(by: { ($0.deadline ?? .zero) < ($1.deadline ?? .zero) }) else { return false }
    remove(longest)
    return true
  }

  private func closeLongestIdle() -> Bool {
    while let number = idleDeadlines.take(now: .seconds(Int64.max)) {
      // A connection that was used in the meantime is added again when it becomes idle.
      guard let channel = channels[number], channel.isIdle, let deadline = channel.deadline else { continue }
      if let next = idleDeadlines.next, next < deadline {
        idleDeadlines.add(deadline, of: number)
      } else {
        remove(channel)
        return true
      }
    }
    return false
  }

  /// Stops counting a lingering or closed connection towards the limits.
  func countOut(_ channel: SocketChannel) {
    guard !channel.isCountedOut else { return }
    channel.isCountedOut = true
    openCount -= 1
    let address = channel.connection.address
    numbersByAddress[address]?.remove(channel.number)
    if numbersByAddress[address]?.isEmpty == true { numbersByAddress[address] = nil }
  }
}
