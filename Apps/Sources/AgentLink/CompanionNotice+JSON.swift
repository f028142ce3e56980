public import CommandSupport
public import TrendyModels

extension CompanionNotice {
  /// Members of the JSON object that commands print and hooks receive: `seq`, `from`, `kind`, `at` and `data`.
  ///
  /// A token in `data` is a secret of the device and is left out.
  public func jsonMembers(from device: String, in local: LocalTime) -> [(String, JSONText)] {
    [
      ("seq", .number(sequence)), ("from", .string(device)), ("kind", .string(kind)),
      ("at", .string(local.rfc3339(at))), ("data", .value(.object(data.filter { $0.key != "token" }))),
    ]
  }
}
