import Foundation
import TrendyModels

extension HubServer {
  /// Answers a request for a file of the pages; `nil` for every other request.
  func answerPage(_ request: HTTPRequest) throws -> HTTPResponse? {
    guard request.method == "GET" || request.method == "HEAD", let file = PageFiles.embedded.file(at: request.path)
    else { return nil }
    try configuration.check(namesOf: request)
    let tag = "\"\(file.tag)\""
    var headers = HTTPHeaders([
      ("Content-Type", file.type), ("ETag", tag),
      // A page asks each time whether it is still the one; what lies under a folder named after its content never changes.
      ("Cache-Control", file.isVersioned ? "public, max-age=31536000, immutable" : "no-cache"),
    ])
    for (name, value) in pageHeaders { headers[name] = value }
    if request.knows(tag) {
      headers["Content-Type"] = nil
      return HTTPResponse(status: 304, headers: headers)
    }
    return HTTPResponse(status: 200, headers: headers, body: .data(file.content))
  }

  /// Whether it is asked for without a token, by its head alone.
  func isPage(_ request: HTTPRequest) -> Bool {
    (request.method == "GET" || request.method == "HEAD") && PageFiles.embedded.file(at: request.path) != nil
  }

  /// Only what the hub itself serves is loaded and asked, but pictures of a map server that the hub was told of; no text becomes markup or script, nobody frames the pages, and no address
  /// that is left is told to where one goes.
  private var pageHeaders: [(String, String)] {
    let pictures = configuration.tiles?.foreignOrigin.map { "img-src 'self' \($0); " } ?? ""
    return [
      (
        "Content-Security-Policy",
        "default-src 'self'; \(pictures)base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
          + "require-trusted-types-for 'script'; trusted-types trendy"
      ),
      ("Referrer-Policy", "no-referrer"),
      ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
  }
}
