/// Which requests the environment's proxy variables would take along, as libcurl reads them.
///
/// On Linux `URLSession` obeys them and nothing can be set against it. A request in clear text to this machine must not go
/// through another one: the proxy would have the token.
struct ProxyEnvironment: Hashable, Sendable {
  private let variable: String?
  private let exceptions: [Substring]

  /// - Parameter environment: the process's own. `HTTP_PROXY` in capitals is never read: a web server sets it from a header field.
  init(_ environment: [String: String]) {
    variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false }
    exceptions = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").split { $0 == "," || $0 == " " }
  }

  /// The variable that would send a request to `host`, one of this machine's own names, away; `nil` for none.
  func variable(for host: String) -> String? {
    // Blocks of addresses (127.0.0.0/8) are not understood by every libcurl and therefore do not count.
    let isExcepted = exceptions.contains { entry in
      let entry = entry.lowercased().drop { $0 == "." }
      return entry == "*" || entry == host || entry == "[\(host)]" || host.hasSuffix("." + entry)
    }
    return isExcepted ? nil : variable
  }
}
