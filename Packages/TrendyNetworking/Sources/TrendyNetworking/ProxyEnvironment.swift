/// Proxy environment variables, interpreted as in libcurl.
///
/// On Linux, `URLSession` always honours these variables. An unencrypted request to this machine must not pass through
/// a proxy, which would see the token.
struct ProxyEnvironment: Hashable, Sendable {
  private let variable: String?
  private let exceptions: [Substring]

  /// Reads the proxy variables.
  ///
  /// - Parameter environment: environment of the process. Upper-case `HTTP_PROXY` is ignored, because web servers set
  ///   it from a request header.
  init(_ environment: [String: String]) {
    variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false }
    exceptions = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").split { $0 == "," || $0 == " " }
  }

  /// Returns the variable that would send requests for `host`, a name of this machine, to a proxy, or `nil` if there is
  /// none.
  func variable(for host: String) -> String? {
    // Ignore address ranges (127.0.0.0/8), because not every version of libcurl supports them.
    let isExcepted = exceptions.contains { entry in
      let entry = entry.lowercased().drop { $0 == "." }
      return entry == "*" || entry == host || entry == "[\(host)]" || host.hasSuffix("." + entry)
    }
    return isExcepted ? nil : variable
  }
}
