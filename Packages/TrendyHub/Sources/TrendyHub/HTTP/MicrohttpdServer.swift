import CMicrohttpd
import Foundation
import TrendyProtocols

/// The library's daemon and its callbacks, without a listening socket: connections come from the gate.
///
/// @unchecked: `daemon` and `onConnectionsChanged` are written before the first connection is added and not after; the
/// callbacks run on the library's one thread.
final class MicrohttpdServer: @unchecked Sendable {
  let table = ConnectionTable()
  let handler: HTTPHandler
  let limits: HTTPLimits
  /// A connection was closed, or is to be watched: the gate looks at all of them again.
  var onConnectionsChanged: @Sendable () -> Void = {}
  private var daemon: OpaquePointer?

  init(handler: @escaping HTTPHandler, limits: HTTPLimits) throws(HTTPTransportError) {
    self.handler = handler
    self.limits = limits
    // Held by the daemon until `stop()`.
    let context = Unmanaged.passRetained(self).toOpaque()
    daemon = trendy_mhd_start(
      UInt32(clamping: limits.sendIdleDeadline.components.seconds), UInt32(clamping: limits.connections + 16),
      limits.headBytes * 2 + 65_536, onRequest, onCompleted, onConnectionChanged, context)
    guard daemon != nil else {
      Unmanaged<MicrohttpdServer>.fromOpaque(context).release()
      throw .system(operation: "MHD_start_daemon", code: errno)
    }
  }

  /// Gives a connection to the daemon, which closes it. `false` when it could not take it, and closed it at once.
  func add(_ socket: Int32) -> Bool {
    // The library wants an address to count by; the gate has counted already, so one address stands for all.
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        MHD_add_connection(daemon, socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == .YES
      }
    }
  }

  /// Closes what is still open and ends the daemon's thread. Nothing may be suspended.
  func stop() {
    guard let daemon else { return }
    MHD_stop_daemon(daemon)
    self.daemon = nil
    Unmanaged.passUnretained(self).release()
  }

  /// The first call of a request has no exchange yet; then one for each piece of the body, one when it is complete, and
  /// one after the handler has answered.
  fileprivate func serve(
    _ connection: OpaquePointer, exchange: Exchange?, bytes: UnsafePointer<CChar>?,
    count: UnsafeMutablePointer<Int>, keep: (Exchange) -> Void
  ) -> MHD_Result {
    guard let exchange else {
      let socket = trendy_mhd_socket(connection)
      guard table.connection(socket) != nil else { return .NO }
      let exchange = Exchange(socket: socket, connection: connection)
      table.setExchange(exchange, for: socket)
      keep(exchange)
      return .YES
    }
    if count.pointee > 0 {
      exchange.append(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
      count.pointee = 0
      return .YES
    }
    if let response = exchange.response { return queue(response, on: connection, for: exchange) }
    guard table.bodyIsComplete(exchange.socket), let entry = table.connection(exchange.socket), let head = entry.head
    else { return .NO }
    guard !table.isClosing else {
      return queue(
        Problem.busy("this hub is shutting down").response(instance: nil, requestId: entry.requestId), on: connection,
        for: exchange)
    }
    exchange.run(
      handler,
      with: HTTPRequest(
        id: entry.requestId, method: head.method, target: head.target, headers: head.headers, body: exchange.body,
        remoteAddress: entry.address))
    return .YES
  }

  private func queue(_ response: HTTPResponse, on connection: OpaquePointer, for exchange: Exchange) -> MHD_Result {
    let made: OpaquePointer?
    switch response.body {
    case .data(var data):
      let count = data.count
      made = data.withUnsafeMutableBytes {
        MHD_create_response_from_buffer(count, $0.baseAddress, .RESPMEM_MUST_COPY)
      }
    case .stream(let stream):
      let reader = Unmanaged.passRetained(StreamReader(exchange: exchange, stream: stream)).toOpaque()
      made = MHD_create_response_from_callback(unknownSize, 32_768, onRead, reader, onReadingDone)
      if stream.endsWithReader {
        table.watch(exchange.socket)
        onConnectionsChanged()
      }
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for field in response.headers.fields { MHD_add_response_header(made, field.name, field.value) }
    // One request a connection: see the gate.
    MHD_add_response_header(made, "Connection", "close")
    return MHD_queue_response(connection, UInt32(clamping: response.status), made)
  }
}

private final class StreamReader {
  let exchange: Exchange
  let stream: HTTPBodyStream

  init(exchange: Exchange, stream: HTTPBodyStream) {
    self.exchange = exchange
    self.stream = stream
  }
}

/// `MHD_SIZE_UNKNOWN`, a macro that Swift does not see.
private let unknownSize = UInt64.max

private let onRequest: MHD_AccessHandlerCallback = { context, connection, _, _, _, bytes, count, keeper in
  guard let context, let connection, let count, let keeper else { return .NO }
  let server = Unmanaged<MicrohttpdServer>.fromOpaque(context).takeUnretainedValue()
  let exchange = keeper.pointee.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
  return server.serve(connection, exchange: exchange, bytes: bytes, count: count) {
    // Released in `onCompleted`, which comes once for every request that got here.
    keeper.pointee = Unmanaged.passRetained($0).toOpaque()
  }
}

private let onCompleted: MHD_RequestCompletedCallback = { _, _, keeper, _ in
  guard let keeper, let kept = keeper.pointee else { return }
  keeper.pointee = nil
  let exchange = Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue()
  exchange.finish()
}

private let onConnectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, change in
  guard trendy_mhd_is_closed(change) != 0, let context, let connection else { return }
  let server = Unmanaged<MicrohttpdServer>.fromOpaque(context).takeUnretainedValue()
  server.table.remove(trendy_mhd_socket(connection))
  server.onConnectionsChanged()
}

private let onRead: MHD_ContentReaderCallback = { context, _, buffer, count in
  guard let context, let buffer else { return -2 }
  let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
  switch reader.exchange.read(from: reader.stream, into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) {
  case .bytes(let count): return count
  case .wait: return 0
  case .finished: return -1
  case .failed: return -2
  }
}

private let onReadingDone: MHD_ContentReaderFreeCallback = { context in
  guard let context else { return }
  Unmanaged<StreamReader>.fromOpaque(context).release()
}
