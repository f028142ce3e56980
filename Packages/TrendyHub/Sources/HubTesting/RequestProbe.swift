public import TrendyHub

/// What the hub's parser makes of the bytes of a connection; for fuzzers, which stand outside of the package.
public enum RequestProbe: Hashable, Sendable {
  public struct Head: Hashable, Sendable {
    public var method: String
    public var target: String
    public var headers: HTTPHeaders
    /// Bytes.
    public var contentLength: Int
  }

  /// More bytes are needed.
  case incomplete
  /// The status of the answer that refuses it.
  case refused(status: Int)
  /// The head, and the bytes it takes up with its empty line.
  case request(Head, length: Int)

  public static func read(_ bytes: [UInt8]) -> RequestProbe {
    switch ParsedRequest(bytes) {
    case .incomplete: .incomplete
    case .refused(let status): .refused(status: status)
    case .head(let method, let target, let headers, let contentLength, let length):
      .request(Head(method: method, target: target, headers: headers, contentLength: contentLength), length: length)
    }
  }
}
