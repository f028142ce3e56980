import Foundation
import Synchronization
import TrendyArchive
import TrendyModels

struct ResponseCompression: Sendable {
  let store: HubStore

  /// Minimum size of a response to compress, in bytes. Smaller responses fit into a single packet.
  private static let minBytes = 1400
  /// Minimum size in bytes of a body to compress on a storage worker, queued with the user's other calls.
  private static let smallBytes = 65_536
  fileprivate static let level = 5

  private static let compressible: Set<String> = [
    "application/gpx+xml", "application/javascript", "application/json", "application/manifest+json",
    "application/problem+json", "application/x-ndjson", "image/svg+xml", "text/calendar", "text/css", "text/csv",
    "text/html", "text/javascript", "text/plain",
  ]

  /// Returns the response with a compressed body, if that saves packets and the client accepts gzip.
  ///
  /// Clients on this machine receive uncompressed responses. Responses that contain a token are never compressed,
  /// because their length could reveal it.
  func compressed(
    _ response: HTTPResponse, for request: HTTPRequest, group: HubMetrics.Route, owner: String
  ) async -> HTTPResponse {
    let type = response.headers["Content-Type"].map { $0.prefix { $0 != ";" }.lowercased() } ?? ""
    guard Self.compressible.contains(type), response.headers["Content-Encoding"] == nil,
      group != .account, !request.isFromThisMachine
    else { return response }
    var result = response
    result.headers.append(name: "Vary", value: "Accept-Encoding")
    guard request.acceptsGzip, request.method != "HEAD", response.status < 300 else { return result }
    switch response.body {
    case .data(let data):
      guard data.count >= Self.minBytes else { return result }
      do {
        result.body = .data(
          data.count < Self.smallBytes
            ? Self.gzip(data) : try await store.perform(.reading, for: owner) { Self.gzip(data) })
      } catch {
        // If the queue is full, send the response uncompressed.
        return result
      }
    case .stream(let stream):
      let body = GzipBody(stream)
      result.body = .stream(HTTPBodyStream(endsWithReader: stream.endsWithReader) { try await body.next() })
    }
    result.headers["Content-Encoding"] = "gzip"
    // The compressed and the uncompressed body have the same tag, so the tag must be weak.
    if let tag = result.headers["ETag"], !tag.hasPrefix("W/") { result.headers["ETag"] = "W/" + tag }
    return result
  }

  private static func gzip(_ data: Data) -> Data { Data(Deflater.compress(Array(data), as: .gzip, level: level)) }
}

private final class GzipBody: Sendable {
  private struct State: ~Copyable {
    var deflater = Deflater(.gzip, level: ResponseCompression.level)
    var isOver = false
  }

  private let source: HTTPBodyStream
  private let state = Mutex(State())

  init(_ source: HTTPBodyStream) { self.source = source }

  func next() async throws -> Data? {
    while !state.withLock({ $0.isOver }) {
      let piece = try await source.next()
      let output: [UInt8] = state.withLock { state in
        var output: [UInt8] = []
        if let piece {
          state.deflater.write(Array(piece), to: &output)
        } else {
          state.deflater.finish(to: &output)
          state.isOver = true
        }
        return output
      }
      if !output.isEmpty { return Data(output) }
    }
    return nil
  }
}
