public import TrendyModels
public import TrendyProtocols
public import TrendySync

/// Custom server in place of the hub.
///
/// The simulated network connects its clients to the devices: calls are lost, repeated, delayed or replaced by an
/// error, before or after they reach the server. Everything runs on one executor, one job at a time.
public protocol SimulatedServer: AnyObject, Sendable {
  /// Returns the client of a device. Devices are numbered from 0.
  func client(device: Int) -> any NetworkClientProtocol

  /// Contents of the server. Every device must show them in the final state.
  func contents() async throws -> Snapshot
}

/// Custom user who records entities like your app.
public protocol SimulatedUser: Sendable {
  /// Performs one action.
  ///
  /// Ids and values must depend only on `number` and `generator`, so that a seed is reproducible. Texts such as `t17`
  /// (`t` and the number) in a label, name or notes are tracked: they must exist until they are replaced or deleted,
  /// and deleted entities must stay deleted until they are restored.
  /// - Throws: Errors from the recorder, for example because the disk is full or powered off.
  func act(number: Int, on device: UserDevice, using generator: inout SeededGenerator) throws
}

/// Device as a user sees it.
public struct UserDevice: Sendable {
  /// Number of the device, from 0.
  public let number: Int
  /// Recorder on the device's store.
  public let recorder: Recorder
  /// Creates stores for reading.
  public let dataStoreFactory: any DataStoreFactory
}
