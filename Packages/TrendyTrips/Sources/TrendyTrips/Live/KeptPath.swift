public import TrendyModels

/// Fixes of a source that has told its trips and visits itself, such as the path of a workout: they lie in a track log under a name of
/// their own, are shown and exported like others, and no trips or visits are looked for in them.
public enum KeptPath: Sendable {
  private static let prefix = "path "

  /// What its fixes lie under.
  /// - Parameter source: 1 to 120 bytes; what is longer is cut.
  public static func device(of source: String) -> String {
    var source = source
    while source.utf8.count > 120 { source.removeLast() }
    return prefix + source
  }

  /// What the fixes of one track lie under: called by how it begins, so that each form of it is the same path.
  /// - Returns: `nil` where there is no fix.
  public static func device(ofTrack fixes: [Location]) -> String? {
    fixes.min { $0.timestamp < $1.timestamp }.map { device(of: Recording.name($0)) }
  }

  /// Whether what lies under this name is such a path.
  public static func isKept(device: String) -> Bool { device.hasPrefix(prefix) }
}
