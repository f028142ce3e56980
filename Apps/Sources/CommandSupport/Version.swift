/// Version of `trendy` and `trendyd`.
public enum Version: Sendable {
  public static let text = "1.0.0"
  /// Release date, shown in the manual pages.
  static let date = "2026-11-24"
}
