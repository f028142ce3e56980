#if canImport(Observation)
  public import Observation

  /// Result of a query that stays current while a view is visible.
  ///
  /// ```swift
  /// struct CoffeeList: View {
  ///   let stores: any DataStoreFactory
  ///   @State private var coffees = StoreQuery([]) { try $0.events(in: nil, ofType: "coffee", limit: 20) }
  ///
  ///   var body: some View {
  ///     List(coffees.value) { Text($0.notes ?? "") }.task { await coffees.follow(stores) }
  ///   }
  /// }
  /// ```
  @MainActor @Observable public final class StoreQuery<Value: Sendable> {
    /// Latest result; the initial value before the first one.
    public private(set) var value: Value
    /// Error that ended the last ``follow(_:)``, or `nil`.
    public private(set) var error: (any Error)?
    @ObservationIgnored private let query: @Sendable (any DataStoreProtocol) throws -> Value

    /// Creates a query without running it.
    ///
    /// - Parameters:
    ///   - value: initial ``value``.
    ///   - query: see ``DataStoreFactory/observe(_:)``.
    public init(_ value: Value, _ query: @escaping @Sendable (any DataStoreProtocol) throws -> Value) {
      self.value = value
      self.query = query
    }

    /// Keeps ``value`` current until the task is cancelled or the query fails; see ``error``.
    public func follow(_ stores: any DataStoreFactory) async {
      error = nil
      do {
        for try await value in stores.observe(query) {
          // A view may have begun to follow another store.
          if Task.isCancelled { return }
          self.value = value
        }
      } catch {
        if !Task.isCancelled { self.error = error }
      }
    }
  }
#endif
