public import Foundation
public import TrendyModels

/// Status that a device reported with its last request. For display only.
///
/// It is sent in the `Trendy-Device` header as a structured field dictionary (RFC 8941): `version="1.2.0", waiting=3,
/// oldest=1732200000123, now=1732200000456`. All members are optional.
public struct HubDeviceReport: Hashable, Sendable {
  /// Version of the program on the device.
  public var version: String?
  /// Number of pending mutations.
  public var waiting: Int64?
  /// Time at which the oldest pending mutation was recorded, by the device's clock.
  public var oldest: Date?
  /// Seconds by which the device's clock is ahead of the hub's, minus the request's transit time.
  public var clockAhead: Double?
  /// Time of the report by the hub's clock.
  public var at: Date

  public init(
    version: String? = nil, waiting: Int64? = nil, oldest: Date? = nil, clockAhead: Double? = nil, at: Date
  ) {
    self.version = version
    self.waiting = waiting
    self.oldest = oldest
    self.clockAhead = clockAhead
    self.at = at
  }

  /// Parses the header, or returns `nil` if no member is valid. Invalid members are ignored.
  init?(header: String, at now: Date) {
    self.init(at: now)
    for member in header.split(separator: ",") {
      let parts = member.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
      guard parts.count == 2 else { continue }
      var value = parts[1]
      while value.last == " " { value.removeLast() }
      let number = Int64(value).flatMap { SyncRange.stamp.contains($0) ? $0 : nil }
      switch parts[0] {
      case "version": version = Self.quoted(value)
      case "waiting": waiting = number
      case "oldest": oldest = number.map(Date.init(milliseconds:))
      case "now": clockAhead = number.map { (Date(milliseconds: $0).timeIntervalSince(now) * 10).rounded() / 10 }
      default: continue
      }
    }
    if version == nil, waiting == nil, oldest == nil, clockAhead == nil { return nil }
  }

  /// Returns the content of a quoted string of 1 to 40 printable ASCII characters without escapes.
  private static func quoted(_ value: Substring) -> String? {
    guard value.count >= 3, value.count <= 42, value.first == "\"", value.last == "\"" else { return nil }
    let text = value.dropFirst().dropLast()
    return text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) ? String(text) : nil
  }

  /// Returns whether the version or the pending mutations differ from another report.
  func differs(from other: HubDeviceReport?) -> Bool {
    (version, waiting, oldest) != (other?.version, other?.waiting, other?.oldest)
  }
}

extension HubDeviceReport {
  /// JSON representation of the report, as saved by storages.
  public var stored: JSONValue {
    var members: [String: JSONValue] = ["at": .int(at.milliseconds)]
    if let version { members["version"] = .string(version) }
    if let waiting { members["waiting"] = .int(waiting) }
    if let oldest { members["oldest"] = .int(oldest.milliseconds) }
    if let clockAhead { members["ahead"] = .double(clockAhead) }
    return .object(members)
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let at = members["at"]?.intValue else { return nil }
    self.init(
      version: members["version"]?.stringValue, waiting: members["waiting"]?.intValue,
      oldest: members["oldest"]?.intValue.map(Date.init(milliseconds:)), clockAhead: members["ahead"]?.doubleValue,
      at: Date(milliseconds: at))
  }

  /// The report as a member of the `/me/devices` response.
  var document: JSONValue {
    [
      "version": version.map { .string($0) } ?? .null, "waiting": waiting.map { .int($0) } ?? .null,
      "oldest_at": oldest.map { .string(RFC3339.string(from: $0)) } ?? .null,
      "clock_ahead_s": clockAhead.map { .double($0) } ?? .null, "at": .string(RFC3339.string(from: at)),
    ]
  }
}
