public import TrendyFoundation

/// What a device says of itself with each request, so that its person sees on another one what is stuck here.
public struct DeviceReport: Hashable, Sendable {
  /// Of the program, such as `1.2.0`; signs that a header cannot have are left out.
  public var version: String
  /// Mutations that wait here.
  public var waiting: Int
  /// When the oldest of them was made.
  public var oldest: Date?

  public init(version: String, waiting: Int, oldest: Date? = nil) {
    self.version = version
    self.waiting = waiting
    self.oldest = oldest
  }

  /// The value of the header `Trendy-Device`: a dictionary of structured fields (RFC 8941).
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
