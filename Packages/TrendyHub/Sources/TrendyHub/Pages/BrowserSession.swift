import Foundation
import TrendyModels
import TrendyProtocols

/// Cookie with a browser's token. Scripts cannot read it, and other sites cannot send it.
enum BrowserSession {
  /// Returns the cookie's name, which contains the hub's port.
  ///
  /// All ports of a host share cookies, so two hubs on one machine would otherwise overwrite each other's.
  static func cookieName(of request: HTTPRequest) -> String {
    let host = request.headers["Host"] ?? ""
    guard let colon = host.lastIndex(of: ":"), case let port = host[host.index(after: colon)...], !port.isEmpty,
      port.allSatisfy({ ("0"..."9").contains($0) })
    else { return "trendy" }
    return "trendy-\(port)"
  }

  /// Returns the token in the request's cookie, or `nil` if there is none.
  static func token(of request: HTTPRequest) -> String? {
    let name = cookieName(of: request) + "="
    for field in request.headers.values(of: "Cookie") {
      for pair in field.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        if pair.hasPrefix(name), pair.count > name.count { return String(pair.dropFirst(name.count)) }
      }
    }
    return nil
  }

  /// Returns a header value that sets the cookie, or deletes it if the token is `nil`.
  static func cookie(_ token: String?, for request: HTTPRequest) -> String {
    // The origin shows whether the browser uses TLS, even if a proxy terminates it.
    let isSecure = request.headers["Origin"]?.lowercased().hasPrefix("https://") == true
    // Browsers limit the lifetime of cookies to 400 days.
    let age = token == nil ? 0 : 400 * 86_400
    return "\(cookieName(of: request))=\(token ?? ""); Path=/api/v1; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }

}

extension HubConfiguration {
  /// Rejects requests that another site, or another port of this host, may have caused a browser to send.
  ///
  /// A write must come from the hub's own origin, including the port. A read must not come from another origin.
  func check(browserOriginOf request: HTTPRequest) throws(Problem) {
    let site = request.headers["Sec-Fetch-Site"]
    guard site == nil || site == "same-origin" || site == "none" else { throw .browserOrigin(site ?? "") }
    guard let origin = request.headers["Origin"] else {
      if request.method == "GET" || request.method == "HEAD" { return }
      throw .browserOrigin("")
    }
    guard isOwn(origin: origin.lowercased(), host: request.headers["Host"]?.lowercased()) else {
      throw .browserOrigin(origin)
    }
  }

  private func isOwn(origin: String, host: String?) -> Bool {
    for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
      let named = origin.dropFirst(scheme.count)
      if let host, named == host { return true }
      // A proxy may pass on a different host name. In that case, the page's origin must be one of the configured names.
      return allowedHosts.contains { $0.lowercased() == named }
    }
    return false
  }
}

extension Problem {
  fileprivate static func browserOrigin(_ origin: String) -> Problem {
    Problem(
      "origin_not_allowed", status: 403, title: "Origin not allowed",
      detail: origin.isEmpty
        ? "a browser session requires the header field Origin for writes"
        : "a browser session is valid only on this hub's own page, not on \"\(origin.prefix(100))\"")
  }
}
