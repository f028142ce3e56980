public import TrendyFoundation

/// Device status sent with each request, so that the user's other devices can show which changes are pending here.
public struct DeviceReport: Hashable, Sendable {
  /// Program version, such as `1.2.0`. Characters that are invalid in a header are removed.
  public var version: String
  /// Number of pending mutations.
  public var waiting: Int
  /// Creation time of the oldest pending mutation.
  public var oldest: Date?

  public init(version: String, waiting: Int, oldest: Date? = nil) {
    self.version = version
    self.waiting = waiting
    self.oldest = oldest
  }

  /// Returns the value of the `Trendy-Device` header, a structured-fields dictionary (RFC 8941).
  func header(at now: Date) -> String {
    func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
    let plain = String(
      decoding: version.utf8.filter { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }.prefix(40), as: UTF8.self
    )
    var members = ["version=\"\(plain)\"", "waiting=\(waiting)"]
    if let oldest { members.append("oldest=\(milliseconds(oldest))") }
    members.append("now=\(milliseconds(now))")
    return members.joined(separator: ", ")
  }
}
