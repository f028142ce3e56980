/// Proxy variables of the environment, interpreted as libcurl does.
///
/// On Linux `URLSession` always honours them. An unencrypted request to this machine must not pass through a proxy,
/// because the proxy would see the token.
struct ProxyEnvironment: Hashable, Sendable {
  private let variable: String?
  private let exceptions: [Substring]

  /// Reads the proxy variables.
  ///
  /// - Parameter environment: environment of the process. `HTTP_PROXY` in upper case is ignored, because web servers
  ///   set it from a request header.
  init(_ environment: [String: String]) {
    variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false }
    exceptions = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").split { $0 == "," || $0 == " " }
  }

  /// Returns the variable that would send a request for `host`, a name of this machine, to a proxy; `nil` if none does.
  func variable(for host: String) -> String? {
    // Address ranges (127.0.0.0/8) are ignored, because not every libcurl supports them.
    let isExcepted = exceptions.contains { entry in
      let entry = entry.lowercased().drop { $0 == "." }
      return entry == "*" || entry == host || entry == "[\(host)]" || host.hasSuffix("." + entry)
    }
    return isExcepted ? nil : variable
  }
}
