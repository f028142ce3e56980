import Foundation

extension HTTPResponse {
  /// 304 where the request knows the answer with this tag already; else `nil`.
  static func unchanged(_ tag: String, for request: HTTPRequest) -> HTTPResponse? {
    let tag = weak(tag)
    return request.knows(tag) ? HTTPResponse(status: 304, headers: HTTPHeaders([("ETag", tag)])) : nil
  }

  /// The answer with a tag, by which a later request can ask whether it is still good (RFC 9110, 8.8.3 and 13.1.2); where the request
  /// knows it already, 304 without the body.
  func tagged(_ tag: String, for request: HTTPRequest) -> HTTPResponse {
    if let unchanged = Self.unchanged(tag, for: request) { return unchanged }
    var response = self
    response.headers["ETag"] = Self.weak(tag)
    return response
  }

  /// What tells of the moment of the answer, such as `now`, differs under one tag.
  private static func weak(_ tag: String) -> String { "W/\"\(tag)\"" }

  /// The answer with a tag that follows from its body, or from another text that says all that matters of it.
  func taggedByContent(_ content: Data? = nil, for request: HTTPRequest) -> HTTPResponse {
    guard let content = content ?? bodyData else { return self }
    return tagged(String(SHA256Digest.hexadecimal(of: content).prefix(32)), for: request)
  }

  private var bodyData: Data? { if case .data(let data) = body { data } else { nil } }
}
