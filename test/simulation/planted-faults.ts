/** A fault of the product: in a file a text, which occurs once, is replaced. */
export interface PlantedFault {
  name: string;
  file: string;
  text: string;
  replacement: string;
}

export const plantedFaults: readonly PlantedFault[] = [];
