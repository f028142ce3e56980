import CMicrohttpd
import Foundation
import Synchronization

/// One request on its way through: the body coming in, the handler's task, the answer going out.
///
/// The library's thread never waits: while a handler or a stream works, the connection is suspended, and whoever has the
/// answer resumes it. Every suspension is resumed exactly once, under `state`.
final class Exchange: Sendable {
  /// @unchecked: off its own thread the library's pointer is given to `MHD_resume_connection` alone, which may be called
  /// from any, and only while the connection is suspended, hence alive.
  private struct ConnectionReference: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private struct State {
    var body = Data()
    var task: Task<Void, Never>?
    var isSuspended = false
    var isAborted = false
    var response: HTTPResponse?
    /// What the stream gave and the socket has not taken.
    var piece = Data()
    var streamEnd: StreamEnd?
  }

  private enum StreamEnd {
    case finished
    case failed
  }

  enum StreamReading {
    case bytes(Int)
    case wait
    case finished
    case failed
  }

  let socket: Int32
  private let connection: ConnectionReference
  private let state = Mutex(State())

  init(socket: Int32, connection: OpaquePointer) {
    self.socket = socket
    self.connection = ConnectionReference(pointer: connection)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { $0.body.append(contentsOf: bytes) }
  }

  var body: Data { state.withLock { $0.body } }
  var response: HTTPResponse? { state.withLock { $0.response } }

  /// Runs the handler and suspends the connection until it has answered. On the library's thread.
  func run(_ handler: @escaping HTTPHandler, with request: HTTPRequest) {
    suspend()
    start(Task { self.settle(await handler(request)) })
  }

  /// Copies what the stream has, or suspends the connection until it has more. On the library's thread.
  func read(from stream: HTTPBodyStream, into buffer: UnsafeMutableRawBufferPointer) -> StreamReading {
    let reading: StreamReading = state.withLock { state in
      if state.isAborted { return .failed }
      if !state.piece.isEmpty {
        let count = min(buffer.count, state.piece.count)
        state.piece.copyBytes(to: buffer, count: count)
        state.piece = count == state.piece.count ? Data() : Data(state.piece.dropFirst(count))
        return .bytes(count)
      }
      switch state.streamEnd {
      case .finished: return .finished
      case .failed: return .failed
      case nil: return .wait
      }
    }
    guard case .wait = reading else { return reading }
    suspend()
    start(
      Task {
        do {
          if let piece = try await stream.next() {
            self.deliver(piece, end: nil)
          } else {
            self.deliver(nil, end: .finished)
          }
        } catch {
          // The other end sees a body cut off; the words of the error are for the handler that made the stream.
          self.deliver(nil, end: .failed)
        }
      })
    return .wait
  }

  /// Ends what runs: with `response` if nothing was answered yet, else by cutting the stream.
  func abort(with response: HTTPResponse?) {
    let (task, resumes) = state.withLock { state in
      state.isAborted = true
      if state.response == nil { state.response = response }
      defer { state.isSuspended = false }
      return (state.task, state.isSuspended)
    }
    task?.cancel()
    if resumes { MHD_resume_connection(connection.pointer) }
  }

  /// The connection is gone, or has all of its answer.
  func finish() {
    state.withLock { $0.task }?.cancel()
  }

  private func suspend() {
    state.withLock { state in
      // In one step: resumed in between, the connection would be suspended for ever.
      state.isSuspended = true
      MHD_suspend_connection(connection.pointer)
    }
  }

  private func start(_ task: Task<Void, Never>) {
    let isAborted = state.withLock { state in
      state.task = task
      return state.isAborted
    }
    if isAborted { task.cancel() }
  }

  private func settle(_ response: HTTPResponse) {
    resumeAfter { state in
      if state.response == nil { state.response = response }
    }
  }

  private func deliver(_ piece: Data?, end: StreamEnd?) {
    resumeAfter { state in
      if let piece { state.piece = piece }
      state.streamEnd = end
    }
  }

  private func resumeAfter(_ change: (inout sending State) -> Void) {
    let resumes = state.withLock { state in
      change(&state)
      defer { state.isSuspended = false }
      return state.isSuspended
    }
    if resumes { MHD_resume_connection(connection.pointer) }
  }
}
