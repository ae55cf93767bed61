type Comments = readonly [string, ...string[]];

/** An asset of a small bottling plant, and what people write about it; `{40-60}` stands for a number in that range. */
export interface DemoAsset {
  readonly name: string;
  readonly description: string;
  /** No longer in use: deactivated once its logs are written. */
  readonly isRetired?: true;
  readonly maintenance: Comments;
  readonly error: Comments;
  readonly production: Comments;
}

export const demoAssets: readonly DemoAsset[] = [
  {
    name: "Filling line 1",
    description: "Hall A. Rotary filler with 24 valves, built 2016.",
    maintenance: [
      "Replaced the seals of valves {1-12} and {13-24}; no leak at {3-5} bar.",
      "Greased the main bearing, {120-180} g. Temperature steady at {42-55} °C after one hour.",
      "Calibrated the fill level: {498-502} ml on average of 50 bottles.",
      "Weekly cleaning in place, caustic at {75-80} °C for 20 minutes, rinsed until neutral.",
    ],
    error: [
      "Valve {1-24} dripped. Seat was scored; valve exchanged, line back after {25-70} minutes.",
      "Emergency stop by the operator: broken bottle in the star wheel. Cleared, guard checked.",
      "Level sensor reported a fault. Plug was wet; dried it and renewed the gasket.",
    ],
    production: [
      "Changed over to 0.33 l bottles in {35-60} minutes.",
      "Speed reduced to {9-11},000 bottles an hour until the new seals have settled.",
      "Ran {46-54},000 bottles without a stop.",
    ],
  },
  {
    name: "Filling line 2",
    description: "Hall A. Rotary filler with 36 valves, built 2021.",
    maintenance: [
      "Software of the controller updated; recipe backup stored on the engineering laptop.",
      "Tightened the transport belt; slack was {8-15} mm.",
      "Exchanged the sterile filter, {1900-2100} operating hours.",
    ],
    error: [
      "Inverter of the capper tripped on over-current. Jammed cap removed, current now {4-6} A.",
      "Rejected {2-4} % of the bottles for low fill. Vent tube {1-36} was blocked.",
    ],
    production: [
      "Changed over to the summer label; first-off bottle approved by quality.",
      "Ran {70-82},000 bottles, {10-60} rejected.",
    ],
  },
  {
    name: "Labeller",
    description: "Between filling line 1 and the packer. Cold glue, two stations.",
    maintenance: [
      "Cleaned the glue rollers and exchanged the scraper.",
      "Replaced the brush at station {1-2}; labels lie flat again.",
      "Oiled the cam, checked the vacuum: {58-66} kPa.",
    ],
    error: [
      "Labels sat {2-4} mm too high. Bottle plate {1-8} was loose; tightened and secured.",
      "Glue pump ran dry. Level switch exchanged.",
    ],
    production: ["New label roll, batch {4100-4900}. Print checked.", "Glue changed to the winter type."],
  },
  {
    name: "Air compressor 1",
    description: "Compressor room. Screw compressor, 37 kW, supplies both halls.",
    maintenance: [
      "Oil and oil filter changed at {4000-9000} h.",
      "Drained the condensate, cleaned the cooler fins.",
      "Looked for leaks with ultrasound: {2-7} found, all sealed.",
      "Suction filter exchanged; pressure drop was {40-65} mbar.",
    ],
    error: [
      "Stopped on high temperature, {106-112} °C. Cooler was dusty; blown out, runs at {84-92} °C.",
      "Safety valve opened at {9-10} bar. Pressure switch was out of adjustment; set and sealed.",
    ],
    production: ["Taken as base load; compressor 2 follows at {6-7} bar."],
  },
  {
    name: "Air compressor 2",
    description: "Compressor room. Piston compressor, 15 kW, stand-by.",
    isRetired: true,
    maintenance: [
      "Valve plate cleaned, gasket renewed.",
      "Belt tension set; belt shows cracks, new one ordered.",
    ],
    error: ["Does not reach {7-8} bar any more. Piston rings worn; repair does not pay."],
    production: ["Ran {3-9} hours while compressor 1 was serviced."],
  },
  {
    name: "Steam boiler",
    description: "Boiler house. 1.2 t/h, gas, inspected every year.",
    maintenance: [
      "Daily blow-down; conductivity {2800-3400} µS/cm.",
      "Water level limiter tested: burner cut off as it should.",
      "Burner adjusted: {2-4} % O2, flue gas {190-225} °C.",
      "Softener refilled with {25-75} kg of salt; hardness below 0.1 °dH.",
    ],
    error: [
      "Burner locked out, no flame signal. Photocell cleaned, three starts without a fault.",
      "Feed pump {1-2} was noisy. Bearing exchanged, spare pump ran meanwhile.",
    ],
    production: ["Steam at {7-9} bar from 05:30 on.", "Boiler kept warm over the weekend."],
  },
  {
    name: "Cold store",
    description: "Hall B. 420 pallet places at 4 °C, two evaporators.",
    maintenance: [
      "Defrosted evaporator {1-2}; fan blades free of ice.",
      "Door seal at gate {1-3} replaced.",
      "Refrigerant checked, no loss since the last time. Logged for the authority.",
    ],
    error: [
      "Alarm: {8-11} °C. Gate {1-3} was left open for {15-50} minutes; closer adjusted.",
      "Fan of evaporator {1-2} stood still. Capacitor exchanged.",
    ],
    production: ["{280-410} pallets in store, temperature {3-5} °C."],
  },
  {
    name: "Forklift 3",
    description: "Electric, 1.6 t, mostly at the loading ramp.",
    maintenance: [
      "Battery topped up with {2-4} l of distilled water, terminals greased.",
      "Chain measured: {1-2} % stretch, allowed are 3.",
      "Brake and horn tested, tyres fine.",
      "Yearly inspection passed; sticker renewed.",
    ],
    error: [
      "Lift sinks slowly under load. Hose had a leak; replaced, {2-3} l of oil topped up.",
      "Key switch broken. Replaced.",
    ],
    production: ["On loan to the warehouse for {1-4} days."],
  },
  {
    name: "Palletiser",
    description: "Hall B. Robot with four axes and a vacuum gripper.",
    maintenance: [
      "Exchanged {2-8} suction cups.",
      "Backup of the robot's program, battery of the encoder replaced.",
      "Light curtain tested with the test rod: stops in time.",
    ],
    error: [
      "Dropped a layer. Vacuum was at {45-52} kPa; filter cleaned, now {70-76}.",
      "Light curtain tripped without cause. Reflector was dirty.",
      "Collision with the pallet magazine at low speed. Reference position checked, no damage.",
    ],
    production: ["New pattern for 20 x 0.5 l crates taught and tried.", "{350-480} pallets in the shift."],
  },
  {
    name: "Waste water pump 7",
    description: "Pit behind hall A. Left of the door: its switch.",
    maintenance: [
      "Lifted the pump, removed {1-3} kg of rags, impeller is fine.",
      "Float switches cleaned and tried.",
      "Insulation measured: {80-250} MΩ.",
    ],
    error: [
      "Motor protection tripped, {11-14} A. Impeller was blocked by a strap; removed.",
      "High water alarm at {2-5} in the morning. Check valve stuck; freed and flushed.",
    ],
    production: ["Ran by hand for {20-90} minutes while the pit was cleaned."],
  },
];
