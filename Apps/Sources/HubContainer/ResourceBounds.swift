#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import CommandSupport
import TrendyHub

/// How many connections and open stores a process has descriptors for.
///
/// What a hub holds open is bounded: connections by their limit, persons' stores and track logs by the rest. Stores
/// beyond it are closed when they are idle and opened again when they are asked for.
public struct ResourceBounds: Hashable, Sendable {
  public var connections: Int
  /// How many of them may be streams of changes; the rest is left for requests.
  public var streams: Int { connections - connections / 8 }
  /// Persons' records that stay open.
  public var openStores: Int
  /// Persons' track logs that stay open.
  public var openTracks: Int

  /// For everything that is neither connection nor store: standard streams, pipes, the directory, a backup, what comes
  /// and goes.
  static let reserve = 64
  /// More stores would hold memory rather than save time; so many connections take some 50 MB where all are streams.
  static let most = (connections: 12_288, stores: 256, tracks: 128)
  static let fewestStores = 8

  /// - Parameters:
  ///   - descriptors: the soft limit of the process.
  ///   - connections: those that the person chose; `nil` for as many as there are descriptors for.
  /// - Throws: ``CommandError`` where there are not enough.
  public init(descriptors: Int, connections: Int?) throws(CommandError) {
    let fewest = Self.reserve + 2 * Self.fewestStores * EmbeddedHubStorage.descriptorsOfStore
    let allStores = Self.reserve + (Self.most.stores + Self.most.tracks) * EmbeddedHubStorage.descriptorsOfStore
    // Half of them, and what stores can never use.
    let usual = max((descriptors - fewest) / 2, descriptors - allStores)
    self.connections = connections ?? max(1, min(Self.most.connections, usual))
    let left = descriptors - self.connections - fewest
    guard left >= 0 else {
      throw CommandError(
        "\(descriptors) descriptors are too few for \(self.connections) connections",
        hint:
          "Allow \(self.connections + fewest) at least (ulimit -n), or say --limit connections=\(max(1, descriptors - fewest)).",
        exit: .configuration)
    }
    // Two thirds for records, which every sync needs, one third for tracks.
    let more = left / EmbeddedHubStorage.descriptorsOfStore
    openStores = min(Self.most.stores, Self.fewestStores + more * 2 / 3)
    openTracks = min(Self.most.tracks, Self.fewestStores + more / 3)
  }

  /// Raises the soft limit of descriptors to the hard one, which every process may.
  /// - Returns: the soft limit as it is then.
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
        // Beyond OPEN_MAX the system refuses, whatever the hard limit says.
        raised.rlim_cur = min(raised.rlim_cur, rlim_t(OPEN_MAX))
      #endif
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
