/// The hub's parser of requests as one function of bytes, for what tries it with bytes of every sort.
package enum ParsedRequest {
  /// More bytes are needed.
  case incomplete
  /// The status of the answer that refuses it.
  case refused(status: Int)
  /// The bytes of the head, and how many of the body follow.
  case head(method: String, target: String, headers: HTTPHeaders, contentLength: Int, length: Int)

  package init(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) {
    self =
      switch HTTPHead.read(bytes, limits: limits) {
      case .incomplete: .incomplete
      case .refused(let problem): .refused(status: problem.status)
      case .complete(let head, let length):
        .head(
          method: head.method, target: head.target, headers: head.headers, contentLength: head.contentLength,
          length: length)
      }
  }
}
