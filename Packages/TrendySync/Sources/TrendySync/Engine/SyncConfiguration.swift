/// How much sync asks for at once, and how often.
public struct SyncConfiguration: Hashable, Sendable {
  /// Mutations in one push, 1 to 500. A hub that finds it too much, or a time-out, halves it for the next.
  public var batchSize: Int
  /// Mutations in a push to a hub that has said that the record is full, 1 to 500: a deletion among them makes room for the others.
  public var largeBatchSize: Int
  /// Entries asked for in the first page of a pull, 1 to 500.
  public var pageSize: Int
  /// Entries asked for in the pages after it, 1 to 500.
  public var largePageSize: Int
  /// Between rounds when all is well and nothing gives a signal.
  public var pollInterval: Duration
  /// The bounds of the delay after a failed round.
  public var minimumRetryDelay: Duration
  public var maximumRetryDelay: Duration
  /// A signal stream that is silent for so long, a second at least, is taken to be dead and opened again.
  public var signalTimeout: Duration

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
