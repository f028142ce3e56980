import Foundation
import TrendyModels
import TrendyProtocols

/// How a browser shows its device's token: in a cookie that no script can read and no other site makes it send.
enum BrowserSession {
  /// The cookie of the hub at one port: cookies are shared by all ports of a host, and two hubs on one machine must not take
  /// each other's away.
  static func cookieName(of request: HTTPRequest) -> String {
    let host = request.headers["Host"] ?? ""
    guard let colon = host.lastIndex(of: ":"), case let port = host[host.index(after: colon)...], !port.isEmpty,
      port.allSatisfy({ ("0"..."9").contains($0) })
    else { return "trendy" }
    return "trendy-\(port)"
  }

  /// The token that the request's cookie holds; `nil` for none.
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

  /// The field that makes a browser keep the token, or with `nil` forget it.
  static func cookie(_ token: String?, for request: HTTPRequest) -> String {
    // Over TLS as the browser sees it: its own origin says so, also where a proxy ends TLS.
    let isSecure = request.headers["Origin"]?.lowercased().hasPrefix("https://") == true
    // Browsers keep none for longer than 400 days.
    let age = token == nil ? 0 : 400 * 86_400
    return "\(cookieName(of: request))=\(token ?? ""); Path=/api/v1; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }

}

extension HubConfiguration {
  /// Refuses what another site, or another port of this host, could have made a browser send along with its cookie.
  ///
  /// A write must name the hub's own origin, port and all; a read must not be said to come from anywhere else.
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
      // A proxy may ask by a name of its own; then the page is where the one who runs the hub said that it is.
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
        ? "a browser's write must say that it comes from this hub's own page: expected the header field Origin"
        : "a browser's session counts on this hub's own page only, not on \"\(origin.prefix(100))\"")
  }
}
