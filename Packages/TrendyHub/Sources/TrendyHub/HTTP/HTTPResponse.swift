public import Foundation

/// Response of a handler: status, headers, and a complete or streamed body.
public struct HTTPResponse: Sendable {
  /// Body of a response.
  public enum Body: Sendable {
    case data(Data)
    case stream(HTTPBodyStream)
  }

  /// Status code, 200 to 599.
  public var status: Int
  public var headers: HTTPHeaders
  public var body: Body

  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Body = .data(Data())) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A body produced in chunks, as fast as the client receives them.
public struct HTTPBodyStream: Sendable {
  /// Returns the next chunk, or `nil` at the end. Called again after each chunk has been sent.
  ///
  /// If it throws, the connection is closed before the end of the body, so the client notices the truncation.
  public var next: @Sendable () async throws -> Data?
  /// Whether the stream ends when the client closes its sending side.
  ///
  /// Set for streams with long pauses, in which a disconnected client would otherwise be noticed only at the next
  /// write.
  public var endsWithReader: Bool

  public init(endsWithReader: Bool = false, next: @escaping @Sendable () async throws -> Data?) {
    self.endsWithReader = endsWithReader
    self.next = next
  }
}

extension HTTPResponse {
  /// Returns the complete body, reading a stream to its end.
  public func collectedBody() async throws -> Data {
    switch body {
    case .data(let data): return data
    case .stream(let stream):
      var collected = Data()
      while let piece = try await stream.next() { collected.append(piece) }
      return collected
    }
  }
}
