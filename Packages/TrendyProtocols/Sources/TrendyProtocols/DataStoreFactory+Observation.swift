extension DataStoreFactory {
  /// Stream of the changes committed from now on, by this and other processes, in the order of the commits.
  ///
  /// Each access returns a new stream for one reader. A slow reader misses nothing: changes are read from the store when
  /// they are requested. The stream ends when the reader's task is cancelled, and throws an error of the store, for
  /// example when the system's limit of watched folders is reached.
  public var changes: AsyncThrowingStream<StoreChange, any Error> {
    let queue = ChangeQueue(Result { try makeObserver() })
    return AsyncThrowingStream { try await queue.next() }
  }

  /// Returns a stream of the results of a query: the current one, then one after each commit that can change it.
  ///
  /// ```swift
  /// for try await events in stores.observe({ try $0.events(in: nil, ofType: "coffee", limit: 20) }) { show(events) }
  /// ```
  /// If several commits precede the reader's next request, it receives only the latest result. A result may equal the
  /// previous one. The stream is for one reader. It ends when the reader's task is cancelled, and throws errors of the
  /// query and of the store.
  ///
  /// - Parameter query: reads from a unit of work off the reader's actor; it must not write.
  public func observe<Value: Sendable>(
    _ query: @escaping @Sendable (any DataStoreProtocol) throws -> Value
  ) -> AsyncThrowingStream<Value, any Error> {
    let results = QueryResults(self, Result { try makeObserver() }, query)
    return AsyncThrowingStream { try await results.next() }
  }
}

private actor ChangeQueue {
  /// `nil` after the end.
  private var observer: Result<(any StoreObserver)?, any Error>?
  private var pending: ArraySlice<StoreChange> = []

  init(_ observer: Result<(any StoreObserver)?, any Error>) { self.observer = observer }

  func next() async throws -> StoreChange? {
    if pending.isEmpty {
      do {
        pending = try await observer?.get()?.nextChanges()?[...] ?? []
      } catch {
        observer = nil
        throw error
      }
    }
    return pending.popFirst()
  }
}

private actor QueryResults<Value: Sendable> {
  private let factory: any DataStoreFactory
  private let query: @Sendable (any DataStoreProtocol) throws -> Value
  /// `nil` after the end.
  private var observer: Result<(any StoreObserver)?, any Error>?
  /// Unit that read the previous result.
  private var unit: (any DataStoreProtocol)?

  init(
    _ factory: any DataStoreFactory, _ observer: Result<(any StoreObserver)?, any Error>,
    _ query: @escaping @Sendable (any DataStoreProtocol) throws -> Value
  ) {
    self.factory = factory
    self.observer = observer
    self.query = query
  }

  func next() async throws -> Value? {
    guard let observer else { return nil }
    do {
      let observer = try observer.get()
      if let unit {
        var isAffected = false
        while !isAffected {
          guard let changes = try await observer?.nextChanges() else { return nil }
          isAffected = changes.contains(where: unit.isAffected)
        }
      }
      let unit = observer?.makeDataStore() ?? factory.makeDataStore()
      self.unit = unit
      return try query(unit)
    } catch {
      (self.observer, unit) = (nil, nil)
      throw error
    }
  }
}
