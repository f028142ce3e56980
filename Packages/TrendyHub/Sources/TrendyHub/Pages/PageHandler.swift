import Foundation
import TrendyModels

/// Serves the files of the pages.
struct PageHandler: Sendable {
  let tiles: MapTiles?

  func respond(with file: PageFiles.File, status: Int) -> HTTPResponse {
    var headers = HTTPHeaders([
      ("Content-Type", file.type), ("ETag", "\"\(file.tag)\""),
      // A page is revalidated each time. Files in the folder named after their content never change.
      ("Cache-Control", file.isVersioned ? "public, max-age=31536000, immutable" : "no-cache"),
    ])
    for (name, value) in securityHeaders { headers[name] = value }
    return HTTPResponse(status: status, headers: headers, body: .data(file.content))
  }

  /// The pages load files of this hub only, except tiles of the configured map server. Text never becomes markup or
  /// script, no other site may frame the pages, and links send no referrer.
  private var securityHeaders: [(String, String)] {
    let pictures = tiles?.foreignOrigin.map { "img-src 'self' \($0); " } ?? ""
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
