import Foundation
import TrendyModels
import TrendyNetworking
import TrendyPersistence
import TrendySync

/// Saves a coffee on this device and sends it to the other devices of the user.
func drinkCoffee(storeIn folder: URL, hub: URL, token: String) async throws {
  let stores = try DefaultDataStoreFactory(directory: folder)
  let recorder = Recorder(dataStoreFactory: stores)
  let coffee = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer")
  try recorder.record(coffee)
  try recorder.log(coffee, notes: "with oat milk", properties: ["cups": 2, "size": .select("large")])

  let client = try APIClient(baseURL: hub, token: token)
  let engine = SyncEngine(networkClient: client, dataStoreFactory: stores)
  await engine.performSync()
}
