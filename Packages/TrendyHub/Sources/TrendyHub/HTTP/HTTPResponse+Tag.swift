import Foundation

// Conditional requests (RFC 9110, 8.8.3 and 13.1.2).

extension HTTPResponse {
  /// Returns a 304 response if the client already has the response with this tag, otherwise `nil`.
  static func unchanged(_ tag: String, for request: HTTPRequest) -> HTTPResponse? {
    HTTPResponse(status: 200).tagged(tag).unchanged(for: request)
  }

  /// Adds a weak entity tag. Responses with the same tag may differ in members such as `now`.
  func tagged(_ tag: String) -> HTTPResponse {
    var response = self
    response.headers["ETag"] = "W/\"\(tag)\""
    return response
  }

  /// Adds a tag derived from `content`, or from the body by default.
  func taggedByContent(_ content: Data? = nil) -> HTTPResponse {
    guard let content = content ?? bodyData else { return self }
    return tagged(String(SHA256Digest.hexadecimal(of: content).prefix(32)))
  }

  /// Returns an empty 304 response if the client already has the response with this tag, otherwise `nil`.
  func unchanged(for request: HTTPRequest) -> HTTPResponse? {
    guard status == 200, request.method == "GET" || request.method == "HEAD", let tag = headers["ETag"],
      request.knows(tag)
    else { return nil }
    var headers = headers
    headers["Content-Type"] = nil
    return HTTPResponse(status: 304, headers: headers)
  }

  private var bodyData: Data? { if case .data(let data) = body { data } else { nil } }
}
