public import CommandSupport
public import TrendyModels

extension CompanionNotice {
  /// Returns the members of the JSON object that commands print and hooks receive: `seq`, `from`, `kind`, `at` and
  /// `data`.
  ///
  /// The token is omitted from `data` because it is this device's secret.
  public func jsonMembers(from device: String, in local: LocalTime) -> [(String, JSONText)] {
    [
      ("seq", .number(sequence)), ("from", .string(device)), ("kind", .string(kind)),
      ("at", .string(local.rfc3339(at))), ("data", .value(.object(data.filter { $0.key != "token" }))),
    ]
  }
}
