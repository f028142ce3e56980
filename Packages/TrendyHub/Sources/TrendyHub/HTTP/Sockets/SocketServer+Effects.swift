import Foundation

extension SocketServer {
  /// Reads or writes until the socket would block.
  func serve(_ channel: SocketChannel, now: Duration) {
    if channel.hasOutput {
      flush(channel, now: now)
    } else if channel.connection.isReading {
      receive(channel, now: now)
    } else if channel.connection.isWatchingReader {
      feed(channel, .finished, now: now)
    }
    watch(channel)
  }

  private func receive(_ channel: SocketChannel, now: Duration) {
    // Bound the number of reads, so a client that sends continuously does not delay other clients.
    for _ in 0..<8 where channel.connection.isReading {
      let count = Sockets.receive(channel.socket, into: &buffer)
      if count < 0 { return }
      if count == 0 { return feed(channel, .finished, now: now) }
      feed(channel, .received(buffer[..<count]), now: now)
    }
  }

  private func flush(_ channel: SocketChannel, now: Duration) {
    switch channel.flush() {
    case .all: feed(channel, .sent, now: now)
    case .part(true): feed(channel, .progressed, now: now)
    case .part(false): watch(channel)
    case .broken: feed(channel, .broken, now: now)
    }
  }

  func feed(_ channel: SocketChannel, _ event: HTTPConnection.Event, now: Duration) {
    perform(channel.connection.on(event, in: surroundings), on: channel, now: now)
  }

  func perform(_ effects: [HTTPConnection.Effect], on channel: SocketChannel, now: Duration) {
    var isSending = false
    for effect in effects {
      switch effect {
      case .send(let bytes):
        channel.append(bytes)
        isSending = true
      case .admit(let request): admit(request, of: channel)
      case .handle(let request):
        let number = channel.number
        channel.task = Task { [handler] in self.post(.answered(await handler(request)), to: number) }
      case .makePiece(let stream): makePiece(of: stream, for: channel)
      case .cancel: channel.task?.cancel()
      case .arm(let time): arm(channel, time.map { now + $0 })
      case .log(let entry): log?(entry)
      case .linger: linger(channel)
      case .close: remove(channel)
      }
    }
    guard channels[channel.number] === channel else { return }
    if isSending { flush(channel, now: now) } else { watch(channel) }
  }

  func arm(_ channel: SocketChannel, _ deadline: Duration?) {
    channel.deadline = deadline
    guard let deadline else { return }
    deadlines.add(deadline, of: channel.number)
    if channel.isIdle { idleDeadlines.add(deadline, of: channel.number) }
  }

  private func admit(_ request: HTTPRequest, of channel: SocketChannel) {
    guard let gate else { preconditionFailure("a connection requests admission, but the server has no gate") }
    let number = channel.number
    channel.task = Task { self.post(.admitted(await gate(request)), to: number) }
  }

  private func makePiece(of stream: HTTPBodyStream, for channel: SocketChannel) {
    let number = channel.number
    channel.task = Task {
      do {
        if let piece = try await stream.next() {
          self.post(.made(piece), to: number)
        } else {
          self.post(.ended(isWhole: true), to: number)
        }
      } catch {
        // The client receives a truncated body. The handler that created the stream reports the error.
        self.post(.ended(isWhole: false), to: number)
      }
    }
  }

  private func watch(_ channel: SocketChannel) {
    guard channels[channel.number] === channel else { return }
    poller.watch(channel.socket, number: channel.number, for: channel.interest)
  }

  /// Maximum number of lingering connections. Each uses a descriptor.
  private static let maxLingering = 512

  private func linger(_ channel: SocketChannel) {
    Sockets.shutdownWriting(channel.socket)
    countOut(channel)
    // If too many connections are lingering, close this one without waiting for the client.
    if channels.count - openCount > min(limits.connections, Self.maxLingering) { remove(channel) }
  }

  func remove(_ channel: SocketChannel) {
    guard channels.removeValue(forKey: channel.number) != nil else { return }
    countOut(channel)
    deadlines.forget(channel.number)
    idleDeadlines.forget(channel.number)
    poller.forget(channel.socket, number: channel.number)
    Sockets.close(channel.socket)
  }
}
