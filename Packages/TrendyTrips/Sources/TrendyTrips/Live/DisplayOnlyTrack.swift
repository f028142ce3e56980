public import TrendyModels

/// Names of tracks that are stored and displayed but not used for detection.
///
/// The source of such a track, for example a workout, provides its own events. The fixes are stored in the track log
/// under a device name with the prefix `path`.
public enum DisplayOnlyTrack: Sendable {
  private static let prefix = "path "

  /// Returns the device name for the fixes from a source. Truncates the source name to 120 bytes of UTF-8.
  public static func device(of source: String) -> String {
    var source = source
    while source.utf8.count > 120 { source.removeLast() }
    return prefix + source
  }

  /// Returns the device name for the fixes of one track, or `nil` if the track has no fixes.
  ///
  /// The name consists of the time and position of the earliest fix, and is therefore the same in all file formats.
  public static func device(ofTrack fixes: [Location]) -> String? {
    fixes.min { $0.timestamp < $1.timestamp }.map { device(of: Recording.name($0)) }
  }

  /// Returns whether a device name belongs to a track that is excluded from detection.
  public static func isKept(device: String) -> Bool { device.hasPrefix(prefix) }
}
