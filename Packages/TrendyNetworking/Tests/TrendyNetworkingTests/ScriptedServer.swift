import Dispatch
import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Server on a raw loopback socket. Records requests and returns scripted responses, valid or not.
///
/// Responses are used in order across all connections. Once all responses have been used, requests get no response.
/// Uses threads, because a blocking read must not occupy a thread in the concurrency pool under test.
final class ScriptedServer: Sendable {
  /// Step in the response to a request. The connection then stays open unless a step closes it.
  enum Step: Sendable {
    case send(Data)
    /// Waits for ``proceed()``.
    case pause
    /// Sends nothing until the client disconnects.
    case hold
    case close
    case reset
  }

  struct Request: Sendable {
    var method: String
    var target: String
    /// Header fields keyed by lower-case name.
    var headers: [String: String]
    var body: Data

    var path: String { String(target.prefix { $0 != "?" }) }
  }

  private struct State {
    var answers: [[Step]]
    var requests: [Request] = []
    var connections: Set<Int32> = []
    var accepted = 0
    var departures = 0
    var isStopped = false
    var waiters: [(isDue: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let port: UInt16
  private let listener: Int32
  private let state: Mutex<State>
  private let proceeding = DispatchSemaphore(value: 0)

  convenience init(_ answers: [Step]...) { self.init(answers) }

  /// Reserves a port that refuses every connection until the tests end.
  static func deaf() -> ScriptedServer { ScriptedServer([], listens: false) }

  init(_ answers: [[Step]], listens: Bool = true) {
    let listener = socket(AF_INET, streamType, 0)
    precondition(listener >= 0, "no socket: errno \(errno)")
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && (!listens || listen(listener, 16) == 0)
          && getsockname(listener, $0, &length) == 0
      }
    }
    precondition(bound, "cannot listen on loopback: errno \(errno)")
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    state = Mutex(State(answers: answers))
    if listens { Thread.detachNewThread { [self] in acceptConnections() } }
  }

  var baseURL: URL { URL(string: "http://127.0.0.1:\(port)")! }

  var requests: [Request] { state.withLock { $0.requests } }

  var accepted: Int { state.withLock { $0.accepted } }

  /// Ends one ``Step/pause``.
  func proceed() { proceeding.signal() }

  func connected() async { await wait { $0.accepted >= 1 } }

  /// Waits until `count` requests have been received completely.
  func received(_ count: Int = 1) async { await wait { $0.requests.count >= count } }

  /// Waits until `count` clients held by ``Step/hold`` have disconnected.
  func departed(_ count: Int = 1) async { await wait { $0.departures >= count } }

  /// Closes every connection and the listening socket.
  func stop() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      shutdown(listener, shutBoth)
      for connection in state.connections { shutdown(connection, shutBoth) }
    }
    for _ in 0..<16 { proceeding.signal() }
  }
}

extension ScriptedServer.Step {
  static func text(_ text: String) -> Self { .send(Data(text.utf8)) }

  static func answer(
    _ status: Int = 200, _ body: String = "", type: String? = "application/json", headers: [String] = []
  ) -> Self {
    var lines = ["HTTP/1.1 \(status) Words", "Content-Length: \(body.utf8.count)"]
    if let type { lines.append("Content-Type: \(type)") }
    return .text((lines + headers + ["", body]).joined(separator: "\r\n"))
  }
}

extension ScriptedServer {
  private func wait(until isDue: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isDueNow = state.withLock { state in
        if isDue(state) { return true }
        state.waiters.append((isDue, continuation))
        return false
      }
      if isDueNow { continuation.resume() }
    }
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result where Result: Sendable {
    let (result, due) = state.withLock { state in
      let result = body(&state)
      var due: [CheckedContinuation<Void, Never>] = []
      var rest: [(isDue: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
      for waiter in state.waiters {
        if waiter.isDue(state) { due.append(waiter.continuation) } else { rest.append(waiter) }
      }
      state.waiters = rest
      return (result, due)
    }
    for continuation in due { continuation.resume() }
    return result
  }

  private func acceptConnections() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      let isOpen = change { state in
        if !state.isStopped { state.connections.insert(connection) }
        state.accepted += 1
        return !state.isStopped
      }
      guard isOpen else {
        close(connection)
        break
      }
      Thread.detachNewThread { [self] in
        serve(connection)
        _ = change { $0.connections.remove(connection) }
        close(connection)
      }
    }
    close(listener)
  }

  private func serve(_ connection: Int32) {
    var input = Data()
    while let request = readRequest(connection, &input) {
      let steps = change { state in
        state.requests.append(request)
        return state.answers.isEmpty ? [Step.hold] : state.answers.removeFirst()
      }
      for step in steps {
        switch step {
        case .send(let data): send(data, to: connection)
        case .pause: proceeding.wait()
        case .hold:
          while receive(from: connection) != nil {}
          change { $0.departures += 1 }
          return
        case .close:
          return
        case .reset:
          var option = linger(l_onoff: 1, l_linger: 0)
          setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
          return
        }
      }
    }
  }

  private func readRequest(_ connection: Int32, _ input: inout Data) -> Request? {
    let blank = Data("\r\n\r\n".utf8)
    while true {
      if let end = input.range(of: blank) {
        let lines = String(decoding: input[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        if input.distance(from: end.upperBound, to: input.endIndex) >= length {
          let body = Data(input[end.upperBound..<(end.upperBound + length)])
          input = Data(input[(end.upperBound + length)...])
          return Request(method: "\(parts[0])", target: "\(parts[1])", headers: headers, body: body)
        }
      }
      guard let more = receive(from: connection) else { return nil }
      input.append(more)
    }
  }

  private func receive(from connection: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  private func send(_ data: Data, to connection: Int32) {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        #if canImport(Darwin)
          let count = Darwin.send(connection, bytes.baseAddress! + sent, bytes.count - sent, 0)
        #elseif canImport(Glibc)
          let count = Glibc.send(connection, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        #else
          let count = Musl.send(connection, bytes.baseAddress! + sent, bytes.count - sent, MSG_NOSIGNAL)
        #endif
        guard count > 0 else { return }  // the client has disconnected, as some tests intend
        sent += count
      }
    }
  }
}

#if canImport(Darwin)
  private let streamType = SOCK_STREAM
  private let shutBoth = SHUT_RDWR
#elseif canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
  private let shutBoth = Int32(SHUT_RDWR)
#else
  private let streamType = SOCK_STREAM
  private let shutBoth = SHUT_RDWR
#endif
