public import TrendyModels
public import TrendyProtocols
public import TrendySync
public import TrendyTesting

/// A server of your own that takes the hub's place in a world.
///
/// The world's network stands between its clients and the devices: calls are lost, doubled, late or answered with an error
/// before they reach it or after. Everything in a story runs on one executor, one piece at a time.
public protocol SimulatedServer: AnyObject, Sendable {
  /// The client by which a device reaches it; devices count from 0.
  func client(device: Int) -> any NetworkClientProtocol

  /// Everything that lives at it, looked at when all is at rest: every device must show the same.
  func contents() async throws -> Snapshot
}

/// Someone of your own who uses the devices of a world: records what your app records, as your app does.
public protocol SimulatedUser: Sendable {
  /// Does one thing.
  ///
  /// What identifies what is made, and what is written, must come from `number` and `generator` alone, so that a seed tells the
  /// same story again. Texts in a label, a name or notes that hold `t` and the number, like `t17`, are followed through the story:
  /// none may get lost until they are written over or deleted, and what is deleted must stay so until it is restored.
  /// - Throws: what the recorder throws; on a disk that is full or without power it does.
  func act(number: Int, on device: PersonsDevice, using generator: inout SeededGenerator) throws
}

/// What a person has in hand.
public struct PersonsDevice: Sendable {
  /// From 0.
  public let number: Int
  public let recorder: Recorder
  /// Makes stores to look things up in.
  public let dataStoreFactory: any DataStoreFactory
}
