/// Version of the programs.
public enum Version: Sendable {
  public static let text = "1.0.0"
  /// Release date in manual pages.
  static let date = "2026-11-24"
}
