#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import CommandSupport
import TrendyHub

/// Limits on connections and open stores, derived from the limit on open file descriptors.
///
/// Some descriptors are reserved for connections, and stores and track logs share the rest. If too many stores are
/// open, idle stores are closed and reopened when needed.
public struct ResourceBounds: Hashable, Sendable {
  public var connections: Int
  /// Maximum number of event streams. The remaining connections are reserved for requests.
  public var streams: Int { connections - connections / 8 }
  /// Maximum number of open stores.
  public var openStores: Int
  /// Maximum number of open track logs.
  public var openTracks: Int

  /// Number of descriptors reserved for standard streams, pipes, the directory, backups and temporary files.
  static let reserve = 64
  /// Upper limits, regardless of available descriptors. More open stores would use memory without saving time. The
  /// maximum number of event streams uses about 50 MB.
  static let most = (connections: 12_288, stores: 256, tracks: 128)
  static let minStores = 8

  /// Divides the available descriptors among connections, stores and track logs. `connections` is the configured
  /// maximum, or `nil` for as many connections as possible.
  /// - Throws: ``CommandError`` if there are too few descriptors.
  public init(descriptors: Int, connections: Int?) throws(CommandError) {
    let fewest = Self.reserve + 2 * Self.minStores * EmbeddedHubStorage.descriptorsOfStore
    let allStores = Self.reserve + (Self.most.stores + Self.most.tracks) * EmbeddedHubStorage.descriptorsOfStore
    // By default, connections get half of the descriptors, and all descriptors that stores cannot use.
    let usual = max((descriptors - fewest) / 2, descriptors - allStores)
    self.connections = connections ?? max(1, min(Self.most.connections, usual))
    let left = descriptors - self.connections - fewest
    guard left >= 0 else {
      throw CommandError(
        "\(descriptors) file descriptors are too few for \(self.connections) connections",
        hint:
          "Allow at least \(self.connections + fewest) (ulimit -n), or use --limit connections=\(max(1, descriptors - fewest)).",
        exit: .configuration)
    }
    // Stores get two thirds of the remaining descriptors, because every sync needs one. Track logs get the rest.
    let more = left / EmbeddedHubStorage.descriptorsOfStore
    openStores = min(Self.most.stores, Self.minStores + more * 2 / 3)
    openTracks = min(Self.most.tracks, Self.minStores + more / 3)
  }

  /// Raises the soft limit on open descriptors to the hard limit.
  /// - Returns: the new soft limit.
  public static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      #if canImport(Darwin)
        // macOS rejects soft limits above OPEN_MAX even if the hard limit is higher.
        raised.rlim_cur = min(raised.rlim_cur, rlim_t(OPEN_MAX))
      #endif
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
