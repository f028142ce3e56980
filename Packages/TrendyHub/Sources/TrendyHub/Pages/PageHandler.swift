import Foundation
import TrendyModels

struct PageHandler: Sendable {
  let tiles: MapTiles?

  func respond(with file: PageFiles.File, status: Int) -> HTTPResponse {
    var headers = HTTPHeaders([
      ("Content-Type", file.type), ("ETag", "\"\(file.tag)\""),
      // Files with a fixed path are revalidated on each use, whereas files in the hashed directory never change.
      ("Cache-Control", file.isVersioned ? "public, max-age=31536000, immutable" : "no-cache"),
    ])
    for (name, value) in securityHeaders { headers[name] = value }
    headers["Permissions-Policy"] = "camera=(), geolocation=(\(file.permitsLocation ? "self" : "")), microphone=()"
    return HTTPResponse(status: status, headers: headers, body: .data(file.content))
  }

  /// Headers that restrict the pages to files from this hub and tiles from the configured server.
  ///
  /// Text cannot become markup or script, other sites cannot frame the pages, and links send no referrer.
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
    ]
  }
}
