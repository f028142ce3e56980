#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import CommandSupport
import TrendyHub

/// Limits of connections and open stores by the number of file descriptors.
///
/// Connections have their own limit; stores and track logs share the rest. Idle stores beyond the limit are closed and
/// reopened on demand.
public struct ResourceBounds: Hashable, Sendable {
  public var connections: Int
  /// Maximum number of event streams; the rest is for requests.
  public var streams: Int { connections - connections / 8 }
  /// Maximum number of open stores.
  public var openStores: Int
  /// Maximum number of open track logs.
  public var openTracks: Int

  /// Reserve for standard streams, pipes, the directory, backups and temporary files.
  static let reserve = 64
  /// More open stores would cost memory without saving time; this number of streams takes about 50 MB.
  static let most = (connections: 12_288, stores: 256, tracks: 128)
  static let fewestStores = 8

  /// Divides the file descriptors among connections and stores.
  /// - Parameters:
  ///   - descriptors: soft limit of the process.
  ///   - connections: configured maximum; `nil` for as many as possible.
  /// - Throws: ``CommandError`` if there are too few descriptors.
  public init(descriptors: Int, connections: Int?) throws(CommandError) {
    let fewest = Self.reserve + 2 * Self.fewestStores * EmbeddedHubStorage.descriptorsOfStore
    let allStores = Self.reserve + (Self.most.stores + Self.most.tracks) * EmbeddedHubStorage.descriptorsOfStore
    // Half of them, plus those that stores cannot use.
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
    // Two thirds for stores, which every sync needs, one third for track logs.
    let more = left / EmbeddedHubStorage.descriptorsOfStore
    openStores = min(Self.most.stores, Self.fewestStores + more * 2 / 3)
    openTracks = min(Self.most.tracks, Self.fewestStores + more / 3)
  }

  /// Raises the soft limit of descriptors to the hard limit.
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
        // The system rejects values above OPEN_MAX, regardless of the hard limit.
        raised.rlim_cur = min(raised.rlim_cur, rlim_t(OPEN_MAX))
      #endif
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
