public import CommandSupport
public import TrendyModels

extension CompanionNotice {
  /// Returns the members of the JSON object that commands print and hooks receive: `seq`, `from`, `kind`, `at` and
  /// `data`.
  ///
  /// Omits the token from `data`, because it is a secret of this device.
  public func jsonMembers(from device: String, in local: LocalTime) -> [(String, JSONText)] {
    [
      ("seq", .number(sequence)), ("from", .string(device)), ("kind", .string(kind)),
      ("at", .string(local.rfc3339(at))), ("data", .value(.object(data.filter { $0.key != "token" }))),
    ]
  }
}
