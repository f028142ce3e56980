/// Batch sizes, intervals and timeouts for sync.
public struct SyncConfiguration: Hashable, Sendable {
  /// Maximum number of mutations in one push, 1 to 500. The engine halves it for the next push after a timeout, or if
  /// the hub rejects the size.
  public var batchSize: Int
  /// Maximum number of mutations in a push after the hub has reported an exceeded quota, 1 to 500. A deletion in the
  /// batch frees space for the other mutations.
  public var largeBatchSize: Int
  /// Maximum number of entries in the first page of a pull, 1 to 500.
  public var pageSize: Int
  /// Maximum number of entries in each later page, 1 to 500.
  public var largePageSize: Int
  /// Interval between rounds when there is neither a failure nor a change signal.
  public var pollInterval: Duration
  /// Limits for the delay after a failed round.
  public var minimumRetryDelay: Duration
  public var maximumRetryDelay: Duration
  /// Time without a signal after which a signal stream is considered dead and is reopened. At least one second.
  public var signalTimeout: Duration

  /// Creates a configuration. Out-of-range values are clamped.
  public init(
    batchSize: Int = 50, largeBatchSize: Int = 500, pageSize: Int = 100, largePageSize: Int = 500,
    pollInterval: Duration = .seconds(60),
    minimumRetryDelay: Duration = .seconds(1), maximumRetryDelay: Duration = .seconds(300),
    signalTimeout: Duration = .seconds(900)
  ) {
    self.batchSize = min(max(batchSize, 1), 500)
    self.largeBatchSize = min(max(largeBatchSize, self.batchSize), 500)
    self.pageSize = min(max(pageSize, 1), 500)
    self.largePageSize = min(max(largePageSize, 1), 500)
    self.pollInterval = pollInterval
    self.minimumRetryDelay = minimumRetryDelay
    self.maximumRetryDelay = maximumRetryDelay
    self.signalTimeout = max(signalTimeout, .seconds(1))
  }
}
