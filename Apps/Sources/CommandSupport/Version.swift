/// The version of the programs; CHANGELOG.md tells what each brought.
public enum Version: Sendable {
  public static let text = "0.1.0"
  /// The day of the version, as manual pages show it.
  static let date = "2026-11-24"
}
